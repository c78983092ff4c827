"""Checks of the arguments. A type checker finds most of these mistakes, but not those of unset variables."""

from __future__ import annotations


def text_option(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"the option {name} is missing")
    return value


def check_given(operation: str, **values: object) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f"{operation}: the argument {name} is missing")
