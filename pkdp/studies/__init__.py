"""Studies: what single pages ask of the rest of the library, data and decisions among it.

`plebiscite` and `microdata` read a real poll, `suppressed_tables` publishes it with small cells
left out; `beliefs` turns what an attacker believes of each record into statements about a count,
`decisions` says which theorem to use, and `dependence` what counts of dependent records reveal.
`peers` compares other packages' answers with this library's, `timings` how long they take, and
`tables` shows what pages compute.
"""
