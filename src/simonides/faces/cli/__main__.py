"""`python -m simonides.faces.cli` does what `simonides` does."""

from simonides.faces.cli import main

if __name__ == "__main__":
    main()
