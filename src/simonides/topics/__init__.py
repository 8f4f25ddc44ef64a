"""How is a namespace divided into topics? The tree as pure numpy: no storage, no configuration, no clock."""
