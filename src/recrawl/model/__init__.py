"""The nouns of recrawl: frozen, slotted values that every room shares.

Nothing here knows a clock, a disk or a network. A value is changed by making another one
(`dataclasses.replace`), and closed sets are enums in which *not knowing* is a member.
"""
