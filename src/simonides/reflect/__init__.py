"""How do many thoughts become a reflection? THE CONSOLIDATION STORY: gather → cluster → compose → publish."""
