"""Certificates in a notebook."""

from html.parser import HTMLParser

import numpy as np
import pytest

from novikoff import MaxMargin, is_separable, separation

RNG = np.random.default_rng(0)
CASES = {
    "Separation": ([[0.0], [1.0]], ["a", "b"]),
    "NonSeparation": ([[0.0], [1.0], [2.0]], ["a", "b", "a"]),
    "PerClass": ([[0.0], [1.0], [2.0]], ["a", "b", "c"]),
}


class Reader(HTMLParser):
    """Collects the text, and checks that every element that needs an end has one."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    reader = Reader()
    reader.feed(html)
    assert not reader.open
    return reader.text


@pytest.mark.parametrize("kind", CASES)
def test_the_sentences_are_shown(kind):
    certificate = is_separable(*CASES[kind])
    text = read(certificate._repr_html_())
    assert text.startswith(f"{kind}: {certificate.headline()}")
    for line in str(certificate).splitlines():
        assert line in text


def test_a_soft_margin_and_an_undecided_run():
    X, y = RNG.standard_normal((40, 2)), RNG.integers(0, 2, 40)
    assert read(MaxMargin(C=1.0).fit(X, y).certificate_._repr_html_()).startswith("SoftOptimum: ")
    undecided = is_separable(X, y, time_limit=0.0)
    assert read(undecided._repr_html_()).startswith("Inconclusive: ")


def test_labels_and_names_are_escaped():
    bad = "<script>alert('&')</script>"
    certificate = is_separable([[0.0], [1.0]], [bad, "good"]).named(target=bad)
    html = certificate._repr_html_()
    assert "<script" not in html
    assert "<script>" in read(html)


def test_a_verdict_on_estimates():
    html = separation([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])._repr_html_()
    assert "Quasi-complete separation" in read(html) and "#c62828" in html
