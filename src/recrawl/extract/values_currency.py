"""Currencies as people write them, and how their people write numbers."""

import re

# Longer signs come first: "US$" is no "$". ¥ and kr are shared; a locale decides.
SIGNS = {
    "US$": "USD", "AU$": "AUD", "A$": "AUD", "CA$": "CAD", "C$": "CAD", "NZ$": "NZD", "HK$": "HKD", "NT$": "TWD",
    "S$": "SGD", "MX$": "MXN", "R$": "BRL", "$": "USD", "€": "EUR", "£": "GBP", "₩": "KRW", "￦": "KRW", "원": "KRW",
    "¥": "JPY", "￥": "JPY", "円": "JPY", "元": "CNY", "₹": "INR", "₽": "RUB", "₺": "TRY", "₫": "VND", "₴": "UAH",
    "₪": "ILS", "₱": "PHP", "฿": "THB", "₸": "KZT", "₦": "NGN", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "лв": "BGN",
    "руб": "RUB", "Fr.": "CHF", "SFr": "CHF", "Rs": "INR", "Rp": "IDR", "RM": "MYR", "TL": "TRY", "RMB": "CNY",
    "lei": "RON", "kr": "", "Euro": "EUR", "euro": "EUR", "EURO": "EUR",
}  # fmt: skip
_CODES = """
AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JOD JPY KES KRW
KWD KZT LKR MAD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD
UYU VND ZAR
"""
CODES = frozenset(_CODES.split())
LOCAL = {
    ("¥", "zh"): "CNY", ("￥", "zh"): "CNY", ("元", "zh-tw"): "TWD", ("元", "zh-hk"): "HKD",
    ("kr", "sv"): "SEK", ("kr", "da"): "DKK", ("kr", "nb"): "NOK", ("kr", "no"): "NOK", ("kr", "is"): "ISK",
    ("$", "en-ca"): "CAD", ("$", "en-au"): "AUD", ("$", "en-nz"): "NZD", ("$", "en-sg"): "SGD", ("$", "es-mx"): "MXN",
    ("$", "es-ar"): "ARS", ("$", "es-cl"): "CLP", ("$", "es-co"): "COP", ("$", "fr-ca"): "CAD",
}  # fmt: skip
WHOLE = frozenset({"JPY", "KRW", "VND", "CLP", "ISK", "IDR", "HUF", "COP"})  # nobody writes their small change
THOUSANDTHS = frozenset({"KWD", "BHD", "OMR", "JOD", "TND"})  # a thousand small coins make one
POINT = frozenset({"USD", "GBP", "AUD", "NZD", "SGD", "HKD", "CNY", "INR", "MXN", "TWD", "THB", "ILS", "MYR", "PHP"})

_WORDS = sorted((sign for sign in SIGNS if sign[0].isalpha() and sign.isascii()), key=len, reverse=True)
_MARKS = sorted((sign for sign in SIGNS if sign not in _WORDS), key=len, reverse=True)
_NAMES = "|".join((*map(re.escape, _WORDS), *sorted(CODES)))
SIGN = rf"(?:{'|'.join(map(re.escape, _MARKS))}|(?<![A-Za-z])(?:{_NAMES})(?![A-Za-z]))"


def currency_of(sign: str, locale: str) -> str:
    """The code of a sign; '' where it could be several."""
    if sign in CODES:
        return sign
    tag = locale.lower().replace("_", "-")
    return LOCAL.get((sign, tag)) or LOCAL.get((sign, tag.partition("-")[0])) or SIGNS.get(sign, "")
