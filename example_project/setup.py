"""Packs the project into an egg for scrapyd: ``scrapyd-deploy`` runs this. Templates and data must be in the egg."""

from setuptools import find_packages, setup

setup(
    name="demo",
    version="1.0",
    packages=find_packages(),
    package_data={"": ["*.html", "data.json"]},
    entry_points={"scrapy": ["settings = demo.settings"]},
)
