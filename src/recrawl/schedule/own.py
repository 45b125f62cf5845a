"""A policy of your own, named in the settings as `package.module:factory`."""

from importlib import import_module

from recrawl.model.failure import ConfigError
from recrawl.ports import Policy
from recrawl.schedule.settings import Settings


def own_policy(name: str, settings: Settings) -> Policy:
    """What `factory(settings)` gives, checked to be a policy."""
    module, _, factory = name.partition(":")
    try:
        made = getattr(import_module(module), factory)(settings)
    except ImportError as error:
        raise ConfigError(f"policy {name!r}: {error}; is its folder on PYTHONPATH?") from error
    except AttributeError as error:
        raise ConfigError(f"policy {name!r}: {error}") from error
    if not isinstance(made, Policy):
        raise ConfigError(f"policy {name!r} gave a {type(made).__name__} without name, observe or next_gap_s")
    return made
