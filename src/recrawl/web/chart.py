"""Numbers as SVG, made on the server: no script, no inline style, colours from the style sheet, a title for all."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 12.0, 12.0, 34.0
PLOT_WIDTH, PLOT_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
FLOOR = TOP + PLOT_HEIGHT

Placing = Callable[[float, float], tuple[float, float]]  # from the chart's units to the drawing's
SMALLEST = 1e-300  # below this powers of ten lose their digits, and nothing can be seen anyway


@dataclass(frozen=True, slots=True)
class Bar:
    """`upper` of `value` is drawn in the warning colour on top; `deviation` as a whisker."""

    label: str
    value: float
    upper: float = 0.0
    deviation: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """`x` and `y` in the units of the chart; `y` None breaks the line."""

    x: float
    y: float | None
    note: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place worth pointing at: a level (y), or a spot (x and y)."""

    label: str
    y: float
    x: float | None = None


def bars(title: str, values: Sequence[Bar], *, top: float | None = None, level: Mark | None = None) -> str:
    """Columns side by side; a dashed line at `level`."""
    highest = max([bar.value + bar.deviation for bar in values] + ([level.y] if level else []), default=0.0)
    scale = top or _round_up(highest)
    step = PLOT_WIDTH / max(1, len(values))
    parts = list(_grid(scale))
    every = max(1, math.ceil(len(values) / 12))
    for number, bar in enumerate(values):
        x = LEFT + number * step
        parts += _column(bar, x + step * 0.15, step * 0.7, scale)
        if number % every == 0:
            parts.append(_text(x + step / 2, FLOOR + 16, bar.label, "middle"))
    return _svg(title, [*parts, *_levels(level, scale)])


def _column(bar: Bar, x: float, width: float, scale: float) -> Iterator[str]:
    height, upper = PLOT_HEIGHT * bar.value / scale, PLOT_HEIGHT * bar.upper / scale
    note = bar.note or f"{bar.label}: {bar.value:g}"
    yield f'<g class="bar"><title>{escape(note)}</title>'
    yield _rectangle(x, FLOOR - height, width, height - upper, "fill")
    if upper:
        yield _rectangle(x, FLOOR - height, width, upper, "fill-warn")
    if bar.deviation:
        middle, reach = x + width / 2, PLOT_HEIGHT * bar.deviation / scale
        low, high = min(FLOOR, FLOOR - height + reach), max(TOP, FLOOR - height - reach)
        ends = f"M{middle - 4:.1f} {low:.1f}h8M{middle - 4:.1f} {high:.1f}h8"
        yield f'<path class="whisker" d="M{middle:.1f} {low:.1f}V{high:.1f}{ends}"/>'
    yield "</g>"


def line(
    title: str,
    points: Sequence[Point],
    *,
    top: float | None = None,
    labels: Sequence[tuple[float, str]] = (),
    marks: Sequence[Mark] = (),
    percent: bool = False,
) -> str:
    """A curve over numbers; `labels` name places on the x axis, `marks` levels and spots."""
    known = [point for point in points if point.y is not None]
    xs = [point.x for point in points] + [mark.x for mark in marks if mark.x is not None]
    low, high = (min(xs), max(xs)) if xs else (0.0, 1.0)
    span = high - low or 1.0
    scale = top or _round_up(max([point.y or 0.0 for point in known] + [mark.y for mark in marks], default=1.0))

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + PLOT_WIDTH * (x - low) / span, FLOOR - PLOT_HEIGHT * min(y / scale, 1.0)

    parts = list(_grid(scale, percent))
    parts += [_text(place(x, 0)[0], FLOOR + 16, text, "middle") for x, text in labels]
    parts.append(f'<path class="line" d="{_path(points, place)}"/>')
    for mark in marks:
        parts += _mark(mark, place)
    return _svg(title, parts)


def _path(points: Sequence[Point], place: Placing) -> str:
    words, pen_down = [], False
    for point in points:
        if point.y is None:
            pen_down = False
            continue
        x, y = place(point.x, point.y)
        words.append(f"{'L' if pen_down else 'M'}{x:.1f} {y:.1f}")
        pen_down = True
    return "".join(words)


def _mark(mark: Mark, place: Placing) -> Iterator[str]:
    if mark.x is None:
        _, y = place(0.0, mark.y)
        yield f'<path class="level" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield _text(WIDTH - RIGHT, y - 4, mark.label, "end")
        return
    x, y = place(mark.x, mark.y)
    left = x > WIDTH * 0.7
    yield f'<circle class="spot" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{escape(mark.label)}</title></circle>'
    yield _text(x - 9 if left else x + 9, max(TOP + 10, y + 14), mark.label, "end" if left else "start")


def timeline(title: str, points: Sequence[Point], labels: Sequence[tuple[float, str]], rows: Sequence[str]) -> str:
    """Dots in rows over time; `y` is the number of the row, `kind` the class of the dot."""
    xs = [point.x for point in points] + [x for x, _ in labels]
    low, high = (min(xs), max(xs)) if xs else (0.0, 1.0)
    span, left = high - low or 1.0, 84.0
    height = 30.0 * len(rows) + 36.0
    parts = []
    for number, name in enumerate(rows):
        y = 20.0 + 30.0 * number
        parts.append(f'<path class="grid" d="M{left} {y}H{WIDTH - RIGHT}"/>')
        parts.append(_text(left - 8, y + 4, name, "end"))
    for point in points:
        x = left + (WIDTH - RIGHT - left) * (point.x - low) / span
        y = 20.0 + 30.0 * (point.y or 0.0)
        note = f"<title>{escape(point.note)}</title>"
        parts.append(f'<circle class="dot {escape(point.kind)}" cx="{x:.1f}" cy="{y:.1f}" r="5">{note}</circle>')
    ends = [(low, "start"), (high, "end")]
    for x, text in labels:
        anchor = next((word for end, word in ends if abs(x - end) < span * 0.05), "middle")
        parts.append(_text(left + (WIDTH - RIGHT - left) * (x - low) / span, height - 6, text, anchor))
    return _svg(title, parts, height)


def heat(title: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]]) -> str:
    """A cell for each row and column, in five steps of shade; 0 stays empty."""
    left, top, height = 46.0, 6.0, 20.0
    width = (WIDTH - left - 4.0) / len(columns)
    most = max((max(row) for row in values), default=0.0)
    parts = []
    for number, name in enumerate(rows):
        y = top + number * height
        parts.append(_text(left - 6, y + 14, name, "end"))
        for at, value in enumerate(values[number]):
            shade = 0 if not value or not most else min(5, 1 + int(5 * value / most * 0.999))
            note = f"<title>{escape(name)} {escape(columns[at])}: {value:g}</title>"
            place = f'x="{left + at * width:.1f}" y="{y}" width="{width - 1:.1f}" height="{height - 1}"'
            parts.append(f'<rect class="shade{shade}" {place}>{note}</rect>')
    bottom = top + len(rows) * height
    named = [(at, name) for at, name in enumerate(columns) if at % 3 == 0]
    parts += [_text(left + (at + 0.5) * width, bottom + 14, name, "middle") for at, name in named]
    return _svg(title, parts, bottom + 20)


def _svg(title: str, parts: Sequence[str], height: float = HEIGHT) -> str:
    name = escape(title)
    body = "".join(parts)
    return f'<svg class="chart" viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{name}">{body}</svg>'


def _grid(scale: float, percent: bool = False) -> Iterator[str]:
    for quarter in range(5):
        y = FLOOR - PLOT_HEIGHT * quarter / 4
        value = scale * quarter / 4
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 6, y + 4, f"{value:.0%}" if percent else short(value), "end")


def _levels(level: Mark | None, scale: float) -> Iterator[str]:
    if level is not None:
        y = FLOOR - PLOT_HEIGHT * min(1.0, level.y / scale)
        yield f'<path class="level" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT + 4, y - 4, level.label, "start")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(0.0, height):.1f}"/>'


def _round_up(value: float) -> float:
    """The next 1, 2, 4 or 8 times a power of ten; 4 steps of it are round, too."""
    if value < SMALLEST or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 8, 10) if step * power >= value * 0.9999)


def short(value: float) -> str:
    """1500 → 1.5k."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"
