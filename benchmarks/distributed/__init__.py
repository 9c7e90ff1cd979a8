"""Programs on meshes of virtual devices, beside one device: each is run as a script, and says what it compared."""
