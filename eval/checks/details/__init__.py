"""What is said of one product where its record states that very property, or that part, otherwise."""
