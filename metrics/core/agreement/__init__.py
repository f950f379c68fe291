"""Agreement of annotators: alpha, kappas, breakdowns, inferred grades."""
