"""The errors that certificates raise."""


class CertificateError(ValueError):
    """A certificate, or the data it is checked against, is not what it claims to be.

    The message is one line that names what is wrong.
    """


class Undecided(ValueError):
    """The truth value of a certificate that decides nothing was asked for.

    Raised by ``bool(certificate)`` where separability is neither proved nor refuted; the
    message is the sentence that says what *is* known.
    """
