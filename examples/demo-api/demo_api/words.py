"""The vocabulary of the sample data, in several scripts."""

from __future__ import annotations

from typing import NamedTuple


class City(NamedTuple):
    name: str
    country: str
    zip_format: str
    latitude: float
    longitude: float
    streets: tuple[str, ...]
    legal_form: str


CITIES = (
    City("München", "DE", "80{:03d}", 48.137, 11.575, ("Leopoldstraße", "Am Gasteig"), "GmbH"),
    City("Hamburg", "DE", "20{:03d}", 53.551, 9.994, ("Große Elbstraße", "Jungfernstieg"), "AG"),
    City("Wien", "AT", "1{:03d}", 48.208, 16.373, ("Mariahilfer Straße", "Graben"), "GmbH"),
    City("Zürich", "CH", "8{:03d}", 47.377, 8.541, ("Bahnhofstrasse", "Limmatquai"), "AG"),
    City("Lyon", "FR", "69{:03d}", 45.764, 4.836, ("Rue de la République", "Quai Perrache"), "SA"),
    City("Orléans", "FR", "45{:03d}", 47.903, 1.909, ("Rue Royale", "Place du Martroi"), "SARL"),
    City("Malmö", "SE", "21{:03d}", 55.605, 13.004, ("Östra Förstadsgatan", "Hamngatan"), "AB"),
    City("København", "DK", "1{:03d}", 55.676, 12.568, ("Nørregade", "Strandvejen"), "ApS"),
    City("Kraków", "PL", "30-{:03d}", 50.065, 19.945, ("Floriańska", "Długa"), "S.A."),
    City("Plzeň", "CZ", "30{:03d}", 49.738, 13.374, ("Americká", "Klatovská třída"), "s.r.o."),
    City("Αθήνα", "GR", "10{:03d}", 37.984, 23.728, ("Οδός Ερμού", "Πανεπιστημίου"), "ΑΕ"),
    City("札幌市", "JP", "060-0{:03d}", 43.062, 141.354, ("大通西", "北一条西"), "株式会社"),
    City("Bristol", "GB", "BS1 {:03d}", 51.454, -2.588, ("Park Street", "Welsh Back"), "Ltd"),
    City("Portland", "US", "97{:03d}", 45.515, -122.678, ("Burnside Street", "Alder Way"), "Inc."),
)

# Rows are easier to read than one word on each line.
STEMS = (
    "Müller", "Åkesson", "Brown", "Delacroix", "Żuraw", "Nordlicht", "O'Neill", "Čapek", "Sørensen",
    "Ibáñez", "Weiß", "Harbour", "Λάμψη", "桜井", "Fjäll", "Grünwald", "Kestrel", "Lumière",
    "Petrov", "Quinn", "Rosetti", "Søster", "Turing", "Umbra", "Vantage", "Winter", "Xenon",
    "Yellow Door", "Zephyr", "Blue Finch",
)

TRADES = (
    "Logistics", "Bakery", "Instruments", "Print & Paper", "Optics", "Tea", "Bicycles", "Archives",
    "Carpentry", "Maps", "Ceramics", "Robotics", "Textiles", "Gardens", "Acoustics", "Clockworks",
    "Shipping", "Solar", "Books", "Tools",
)

TAGS = (
    "export", "family-owned", "b2b", "retail", "24/7", "öko", "import", "wholesale", "startup",
    "regulated", "seasonal", "non-profit",
)

FIRST_NAMES = (
    "Ada", "Björn", "Chloé", "Dmitri", "Émile", "Fatima", "Grace", "Håkon", "Inès", "José", "Katja",
    "Łukasz", "Mária", "Noor", "Øyvind", "Priya", "Quentin", "René", "Siân", "Tomáš", "Ümit",
    "Vera", "Will", "Xenia", "Yūki", "Zoë",
)

LAST_NAMES = (
    "Abel", "Bäcker", "Castro", "Dvořák", "Eriksson", "Faßbinder", "García", "Hughes", "Ivanova",
    "Jansen", "Kovács", "Lefèvre", "Meyer", "Núñez", "Olsen", "Pérez", "Quist", "Rossi",
    "Szymański", "Tanaka", "Uhl", "Vogel", "Wójcik", "Yıldız", "Zimmermann",
)

MEETING_TITLES = (
    "Quarterly review", "Stand-up", "Budget", "Hiring", "Retrospective", "Kick-off", "Übergabe",
    "Safety briefing",
)

NOTE_TEXTS = (
    "Ask for a second offer.", "Agreed: we start in spring.", "Zuständig: wer zuletzt da war.",
    "Numbers look fine.", "Postponed until the café is open again.", "Follow up by phone.",
)
