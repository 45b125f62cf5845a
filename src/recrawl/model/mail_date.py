"""Dates as mail and HTTP write them, in all the ways that people do; loaded when one is not written as usual."""

from datetime import datetime

from recrawl.model.late import late_module

_UTILS = late_module("email.utils")


def mail_date(at: float) -> str:
    """In Greenwich."""
    text: str = _UTILS.formatdate(at, usegmt=True)
    return text


def read_mail_date(text: str) -> datetime:
    """ValueError: it is none."""
    moment: datetime = _UTILS.parsedate_to_datetime(text)
    return moment
