"""How do people and programs reach the engine from outside Python? One package per face, without logic of its own."""
