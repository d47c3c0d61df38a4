def check_arithmetic():
    pass
