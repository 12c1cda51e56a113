"""The items of the spiders: a field is None if the page has no value for it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Product:
    url: str
    sku: str
    name: str
    brand: str | None = None
    price: float | None = None
    was_price: float | None = None
    rating: float | None = None
    reviews: int = 0
    badge: str | None = None
    colours: list[str] = field(default_factory=list)
    stock: str | None = None
    description: list[str] = field(default_factory=list)
    specifications: dict[str, str] = field(default_factory=dict)


@dataclass
class Document:
    url: str
    title: str
    snippet: str
    type: str
    published: str
    authors: list[str] = field(default_factory=list)
    publisher: str | None = None
    pages: int | None = None
    licence: str | None = None
    abstract: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)


@dataclass
class Topic:
    url: str
    board: str
    title: str
    author: str
    replies: int
    views: int


@dataclass
class Post:
    url: str
    topic: str
    author: str
    posted: str
    text: list[str]
    quote: str | None = None


@dataclass
class Job:
    url: str
    title: str
    company: str
    location: str
    contract: str
    posted: str
    salary: str | None = None
    tags: list[str] = field(default_factory=list)
    summary: str | None = None
    duties: list[str] = field(default_factory=list)
    requirements: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


@dataclass
class Article:
    url: str
    headline: str
    section: str
    teaser: str
    author: str
    published: str
    paragraphs: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
