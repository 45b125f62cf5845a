"""When a price has moved so far that due times follow it (`due`)."""

MATERIAL = 0.15  # a price that moved by less changes no due time
FINE = 0.03  # where the price is set for a target: nothing else brings it about
TURN_HOURS = 6  # after a move of the price every page is solved for again within so many hours


def is_material(one: float, other: float, share: float = MATERIAL) -> bool:
    return abs(one - other) > share * max(one, other)
