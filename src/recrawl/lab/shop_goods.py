"""What the bundled shop sells: a catalogue that is a pure function of its seed, reviews included."""

from datetime import date, timedelta
from decimal import Decimal

from recrawl.lab.chance import bits, key_of, pick
from recrawl.lab.prose import SENTENCES
from recrawl.model.values import dataclass

FIRST_ID = 100_001
FIRST_DAY = date(2024, 1, 1)
DAYS = 700

_MADE_OF = ("Brass", "Oak", "Linen", "Slate", "Copper", "Walnut", "Enamel", "Wicker", "Glass", "Cork", "Felt", "Iron")
_MANNER = ("Folding", "Quiet", "Tall", "Small", "Sturdy", "Plain", "Round", "Nordic", "Garden", "Travel", "Twin")
_NAMES = ("Ada", "Bo", "Cleo", "Dan", "Edda", "Finn", "Gil", "Hana", "Ines", "Jun", "Kim", "Lars", "Mina", "Noor")

_MADE, _MANNERS, _PRICE, _DAY, _REVIEWS, _STARS, _NAME, _WORDS, _LATER = range(9)  # places of chance under a key


@dataclass(frozen=True, slots=True)
class Department:
    """`words`: what its goods are called. `price`: how it writes money, for readers of many habits."""

    name: str
    words: tuple[str, ...]
    currency: str
    low: int
    high: int


DEPARTMENTS = (
    Department("lamps", ("Lamp", "Lantern", "Torch"), "EUR", 15, 900),
    Department("chairs", ("Chair", "Stool", "Bench"), "USD", 40, 2400),
    Department("kettles", ("Kettle", "Teapot", "Pan"), "GBP", 10, 250),
    Department("rugs", ("Rug", "Mat", "Runner"), "KRW", 9_000, 2_400_000),
)


@dataclass(frozen=True, slots=True)
class Review:
    author: str
    author_number: int
    stars: int
    on: date
    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """The truth of one detail page."""

    number: int
    title: str
    slug: str
    department: str
    price: Decimal
    currency: str
    added_on: date
    reviews: tuple[Review, ...]
    paragraphs: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/item/{self.number}/{self.slug}"


def catalogue(seed: int, departments: tuple[Department, ...] = DEPARTMENTS, each: int = 250) -> tuple[Product, ...]:
    """Departments take turns in the numbering, as goods arrive in a real shop."""
    wares = []
    for place in range(each):
        for index, department in enumerate(departments):
            wares.append(product(seed, FIRST_ID + place * len(departments) + index, department))
    return tuple(wares)


def product(seed: int, number: int, department: Department) -> Product:
    key = key_of(seed, "product", number)
    title = f"{pick(_MANNER, key, _MANNERS)} {pick(_MADE_OF, key, _MADE)} {pick(department.words, key, _WORDS)}"
    return Product(
        number=number,
        title=f"{title} No. {number % 1000}",
        slug=title.lower().replace(" ", "-"),
        department=department.name,
        price=_price(key, department),
        currency=department.currency,
        added_on=FIRST_DAY + timedelta(days=bits(key, _DAY) % DAYS),
        reviews=tuple(_review(key, place) for place in range(bits(key, _REVIEWS) % 6)),
        paragraphs=tuple(_sentence(key, place) for place in range(4)),
    )


def price_text(price: Decimal, currency: str) -> str:
    """As people of that currency write it: € 1.234,50 · $1,234.50 · £12.00 · ₩1,234,000."""
    if currency == "KRW":
        return f"₩{price:,.0f}"
    english = f"{price:,.2f}"
    if currency == "EUR":
        return "€ " + english.translate(str.maketrans(",.", ".,"))
    return {"USD": "$", "GBP": "£"}[currency] + english


def _price(key: int, department: Department) -> Decimal:
    if department.currency == "KRW":
        return Decimal(department.low + bits(key, _PRICE) % (department.high - department.low) // 100 * 100)
    cents = department.low * 100 + bits(key, _PRICE) % ((department.high - department.low) * 100)
    return Decimal(cents) / 100


def _review(key: int, place: int) -> Review:
    name = pick(_NAMES, key, _NAME, place)
    number = 1 + bits(key, _NAME, place) % 400
    later = timedelta(days=bits(key, _LATER, place) % 200)
    on = FIRST_DAY + timedelta(days=bits(key, _DAY) % DAYS) + later
    return Review(f"{name} {number}", number, 1 + bits(key, _STARS, place) % 5, on, _sentence(key, 100 + place))


def _sentence(key: int, place: int) -> str:
    return pick(SENTENCES["en"], key, _WORDS, place).format(n=bits(key, _LATER, place) % 90 + 2)
