"""What is believed of a page's changing, and how a visit moves it.

Comes in: the packed states of a batch of pages (`model/belief.py`) and what their visits saw. Goes out: new states,
and the numbers a policy asks of them (a rate, a probability of being unchanged, a rhythm, a trust).

Always holds: every fold is pure and O(1) a page; a first or failed visit is no evidence; a batch may be cut
anywhere without changing the result; nothing here knows a clock, a die or a disk.

    poisson   S1: four running sums, the closed form, the exact maximum likelihood beside it
    bayes     a weight for each of twelve rates, regimes that may switch, the group's law as prior
    pooling   the law of a pattern, shrunk to its site, shrunk to the world: the cold start
    sizes     large pages change more often: a page's law leans on its size, as far as its site's pages bear it out
    rates     what the literature's policies are fed with, from S1's sums
    tempo     how fast a site's clock runs: its rhythm of the day and its bursts, used where they proved themselves;
              fitted (`tempo_fit`) from outcomes that only say "between then and now"
    trust     how often a source of notices is right, and how often it is silent when it should speak
    weeks     S0: changes per url, weekday and hour
"""
