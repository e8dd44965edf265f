"""How a round goes on: states and guards, what each report does, what a finding means, what may happen next."""
