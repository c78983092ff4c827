"""Checks of what a caller passes. A type checker finds most of these mistakes; an unset variable needs them."""

from __future__ import annotations


def text_option(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"the option {name} is missing")
    return value


def check_given(operation: str, **values: object) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f"{operation}: the argument {name} is missing")
