"""One seed, told and judged: what `python -m tests.laws` and the suite share."""

import sys
import traceback
from dataclasses import dataclass, field

from tests.laws.laws import broken_laws
from tests.laws.play import Told, play
from tests.laws.story import story


@dataclass(slots=True)
class Outcome:
    seed: int
    broken: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    tale: str = ""

    @property
    def replay(self) -> str:
        return f"{sys.executable} -m tests.laws --seed {self.seed}"


def outcome_of(seed: int) -> Outcome:
    outcome = Outcome(seed)

    def check(told: Told) -> None:
        outcome.broken += broken_laws(told)
        lives = [life.life for life in told.lives]
        outcome.counts = {
            "seconds": int(told.end_at - told.story.world.start_at),
            "requests": len(told.requests),
            "faults met": sum(bool(request.fault) for request in told.requests),
            "deaths": sum(bool(life.death) for life in lives),
            "clock jumps": sum(any(life.jumps_s) for life in lives),
            "full disks": sum(life.death == "disk full" or life.disk_low_from_s < life.lasts_s for life in lives),
            "stories on real files": int(told.story.on_disk),
            "stories with two workers": int(told.story.workers > 1),
        }
        outcome.tale = "\n".join(f"{life.life}: {len(life.requests)} requests" for life in told.lives)

    try:
        play(story(seed), check)
    except Exception:  # noqa: BLE001 — whatever a seed brings up is its finding
        outcome.broken.append(traceback.format_exc())
    return outcome
