"""What every public function refuses, and what it says then: which argument, and what is allowed.

A row has the beginning of a message, the arguments that it is about, as in
``noise.add,blanket(noise)``, and their values that are out of range (ValueError) or of the wrong
kind (TypeError); ``{}`` stands for the argument's name. The other arguments are those of a call
that is answered, as tests/fuzz/arguments.py knows them, except those that a row gives. Instead of
names a row can have callables of one argument; without values it is a whole call.
"""

import functools
import importlib
import inspect
import itertools
import numbers
import operator
from fractions import Fraction as F
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, find, settings

import pkdp
from pkdp import (
    counting,
    daily_profiles,
    definitions,
    hypotheses,
    mechanisms,
    noise,
    privacy_loss,
    sums,
    thresholding,
    worlds,
)
from pkdp._checks import shown
from pkdp.databases import published as databases_published
from pkdp.databases import sampling
from pkdp.databases.couplings import Match
from pkdp.databases.experiments import Move, RandomizedAdversary
from pkdp.noiseless import gaussian_noise
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge import post_processing
from pkdp.partial_knowledge.normalization import Normalization
from pkdp.partial_knowledge.simulators import Enclosure, Simulator
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.profile import Formula
from pkdp.worlds.knowledge import Reduction
from tests.fuzz.arguments import AUDITED
from tests.fuzz.test_calls import FUNCTIONS, calls

HALF, HUGE = F(1, 2), 10**400
COIN = {0: HALF, 1: HALF}
TWO = worlds.bits([HALF] * 2)
SEEN = worlds.bits([HALF] * 2, knowledge=[1])
THREE = worlds.bits([HALF] * 3, knowledge=[2])
DRAWN = Normalization([COIN, COIN], lambda x, y: (x, y))
LAW = binomial(3, 0.5)
PAIR = counting.pair([0.5] * 3)
CENSORED = thresholding.pair([0.5], threshold=1)
NOISY = noise.add(PAIR, noise.Geometric(0.5)), noise.add(PAIR, noise.Laplace(2))
PROFILE = PAIR.profile()
LOWER = PrivacyProfile(Formula(lambda eps: -1.0), "lower bound")
ROUGH = PrivacyProfile(Formula(lambda eps: -1.0), "exact", error=inf)
PRINTED = counting.gaussian_limit(50, 0.3)
CHAIN = daily_profiles.MarkovChain.stationary(0.5, 0.5)
LOSSES = privacy_loss.of_pair(PAIR, 0.1)
MOVE = Move(((), ()), len)
BROAD = Move(((), ()), lambda _: dict.fromkeys(range(100_001), F(1, 100_001)))

# Values of records, and outputs, may be anything; these flags are not looked at.
ANYTHING = {"a", "b", "output", "bessel", "pessimistic", "target_depends"}

OBJECTS = {"law": LAW, "pair": PAIR, "profile": PROFILE, "chain": CHAIN, "losses": LOSSES}


def but(*kinds):
    """Objects of all kinds but some, and what is no object at all."""
    return [None, "x", 0.5, *(value for kind, value in OBJECTS.items() if kind not in kinds)]


def row(says, functions, values=(), kinds=(), /, *, error=ValueError, **others):
    """Yield what a row says: functions, arguments, the error and how its message begins."""
    for one in functions.split() if isinstance(functions, str) else functions:
        if isinstance(one, str):
            module, _, names = one.rstrip(")").partition(".")
            names, _, arguments = names.partition("(")
            called = [f"{module}.{name}" for name in names.split(",")]
        else:
            called, parameters = [one], [*inspect.signature(one).parameters]
            first = says.split()[0].rstrip(":")
            arguments = first if first in parameters else parameters[0] if parameters else ""
        if not values and not kinds:
            yield from ((name, others, error, says) for name in called)
        for name, argument in itertools.product(called, arguments.split(",")):
            for wrong, raised in ((values, ValueError), (kinds, TypeError)):
                for value in wrong:
                    yield name, {**others, argument: value}, raised, says.replace("{}", argument)


def named(name):
    """What a public module offers, by its short name, such as ``laws.PoissonBinomial``."""
    module, _, rest = name.partition(".")
    return operator.attrgetter(rest)(importlib.import_module(pkdp._full_name(module)))


# fmt: off
ROWS = [
    # Of several parts of the library
    row("target must be an integer in 0…1", "composition.nu(targets) definitions.cdp_ratio,"
        "ibcdp_ratio,is_reducible,np_ratio(targets) normalization.more_knowledge(targets) "
        "simulators.ddp_ratio(targets) posteriors.posterior_ratio(targets)",
        [[2], [-1], [3], [0, 7]], [["0"], [0.0], [True], [None]]),
    row("{} must be Geometric(p) or Laplace(scale)", "adversaries.worst_case(noise) noise.add,"
        "blanket,worst_case,worst_vertex(noise)", [], [1, "x", 0.5, np.array(1.0)]),
    row("{} must be a Fraction in [1, inf)", "experiments.leaky_response(ratio) "
        "post_processing.attaining_channel(ratio)", [inf]),
    row("{} must be a Fraction in [1, inf), or math.inf", "experiments.composition_delta(ratio) "
        "known_values.known_delta(ratio) composition.product_delta(ratio) "
        "daily_counts.sharp_law(ratio) kanonymity.worst_delta(ratio) "
        "background.response_truth(ratio) "
        "definitions.apk_table(ratio)", [HALF]),
    row("{} must be a PrivacyProfile", "memberships.soft(inside) accounting.simple(profile) "
        "post_processing.chained(channels) privacy_loss.composed_bound,of_profile(profile) "
        "trade_off_curves.false_negatives(profile)", [], ["x", (None,), ("x",), (0.5,)]),
    row("{} must be a Random", "experiments.play(source) "
        "enumeration.random_acceptable_world,random_mechanism,random_world(source)", [], [1,
        None]),
    row("{} must be a bool", "memberships.at_most,one_of(bounded) "
        "adversaries.worst_case(conditional) published.figure_6(rounded) "
        "enumeration.random_mechanism(deterministic) worlds.hidden_parameter(reveal)", [], [1,
        "no", np.array([0, 1, 2]), 3]),
    row("{} must be a function of a database", "composition.mu_ratio(m2) "
        "background.global_sensitivity(function) definitions.dp_ratio,np_ratio(mechanism) "
        "simulators.ddp_ratio(mechanism) mechanisms.post_process(mechanism)", [],
        [None, 3, "sum", 2, [sum]]),
    row("{} must be a mapping to probabilities", ""
        "hypothesis_worlds.world(prior) daily_counts.one_day(target)", [], [[0.5, 0.5], 3]),
    row("{} must be a pair whose outcomes can be listed", "sampling.by_sampling(pairs) "
        "sampling.sampled(pair) accounting.renyi,renyi_divergence(pair) exchange.to_pld(pair) "
        "privacy_loss.bracket(pairs) privacy_loss.of_pair(pair)", [], [[1.0], [None], ["x"],
        [0.5]]),
    row("{} must be an int or a Fraction", "experiments.leaky_response(ratio,delta) "
        "known_values.known_delta(ratio) composition.nu(ratio) daily_counts.sharp_law(ratio) "
        "kanonymity.worst_delta(ratio) background.response_ratio(truth) "
        "mechanisms.make_randomized_response(truth) "
        "worlds.bits(probabilities) worlds.correlated_pairs(agree,probabilities)", [], [[HALF,
        0.5], [HALF, "1/2"], [HALF, None]]),
    row("{} must be an integer in -1000000…1000000", "noiseless_privacy.add_or_remove(inserted) "
        "weekly_wages.maximum(b)", [], [[0.5]]),
    row("{} must be an integer in 0…0", "thresholding.two_sided(threshold)", [2, -1],
        [1.0, [0.0], ["0"], [True],
        [None]]),
    row("{} must be an integer in 0…1", "adversaries.peaked_group(peak) "
        "known_values.worst_subset(size) counting.blanket,closed_form,tail,worst_case(known) "
        "dependent_counts.peaked(peak) dependent_counts.worst_case(known) "
        "kanonymity.theorem_5(known) noise.blanket(known) thresholding.exact,pair(threshold) "
        "attack.on_count(threshold) beliefs.statement(known) background.invert_survey(yes) "
        "definitions.apk_table,privacy_loss(target) simulators.best_simulator(target)",
        [3, -1, 10, 5, 4], [1.0, False, "1", True, HALF]),
    row("{} must be an integer in 0…1000000", "synergy.share_masses(most) "
        "dependence.households(singles) dependence.learnt_rate(yes,no,others) "
        "stays.dropped(cap)", [-1, 10**6 + 1, -3]),
    row("{} must be an integer in 0…10000000000", "memberships.parallel(records) "
        "dependent_counts.sparse(degree) noise.binomial(trials) audit.of_file(threshold) "
        "decisions.least_threshold(known) mechanisms.make_threshold(most_hidden)", [-1], [1.5, 1.0,
        "1", True]),
    row("{} must be an integer in 0…2", "memberships.at_most,changing,exactly(m) "
        "decisions.recommend(threshold)", [4, -1, 3,
        11], [1.0, 5.0]),
    row("{} must be an integer in 1…1000", "daily_counts.daily_law(days) "
        "background.global_sensitivity(n) worlds.copied(groups,copies) "
        "worlds.hidden_parameter(n)", [0], [1.0]),
    row("{} must be an integer in 1…1000000", "published.corollary_7(k) sampling.bounds,"
        "uniform(k) accounting.advanced,optimal,renyi(times) dependence.households(size,own) "
        "stays.law(cap) "
        "enumeration.partitions(most) enumeration.random_acceptable_world(knowledge) "
        "enumeration.random_mechanism(outputs,most) enumeration.random_world(knowledge,most) "
        "enumeration.small_worlds(knowledge,denominator)", [0, -1, 10**6 + 1], [1.5, 2.5, "2",
        1.0]),
    row("{} must be an integer in 1…10000000000", "memberships.parallel(each) "
        "normal_bounds.stein_for_half_lines(neighbourhood) synergy.share_masses(users) "
        "counting.new_users(new) daily_counts.sharp_dependency(others) "
        "dependent_counts.independent_blocks(size) kanonymity.hidden_by_rare(rare_values) "
        "kanonymity.make_minimal_generalization,make_truncated_histogram,sampled,theorem_5(k) "
        "published.theorem_5(k) background.invert_survey(respondents)", [0, -1], [[2.5], 2.0,
        1.5]),
    row("{} must be an integer in 2…10000000", "chains.causal,conditional(n) "
        "published.figure_2(n)", [1, 10**8, 10**7 + 1], [9.0, True, 2.0]),
    row("{} must be an integer in 2…1000000000", "release.decide(n) noise.worst_case(n) "
        "background.response_ratio(answers)", [1, 10**10], [2.5]),
    row("{} must be an integer in 2…10000000000", "adversaries.worst_case(n) counting.blanket,"
        "closed_form,tail,worst_case(n) dependent_counts.worst_case(n) kanonymity.theorem_5(n) "
        "published.figure_3,theorem_3,theorem_5(n) decisions.recommend(n) "
        "weekly_wages.average(n)", [1, 10**16, -7], [10.0, 10.5, True, "ten", 3.0, 9.0]),
    row("{} must be at least one", "experiments.make_planned(moves) "
        "known_values.known_delta(groups) noiseless_privacy.add_or_remove,causal,"
        "conditional(groups) "
        "noiseless_privacy.replace(groups,values) composition.product_delta(mechanisms) "
        "post_processing.pure(epsilons) privacy_loss.bracket(pairs) privacy_loss.compose(parts) "
        "worlds.bits,correlated_pairs(probabilities) worlds.independent(laws)", [[], ()]),
    row("{} must be in (0, 0.5]", "adversaries.peaked_group,worst_case(lam) release.decide(lam) "
        "counting.blanket,closed_form,histogram,new_users,tail,worst_case(lam) "
        "dependent_counts.limit,worst_case(lam) kanonymity.hidden_by_rare(rare) "
        "kanonymity.theorem_5(lam) noise.blanket(lam) published.figure_3,theorem_3,theorem_5(lam) "
        "audit.of_file(lam)", [0.6, 0, 0.0, -0.25, 0.51, nan, inf, 0.7], ["a third", [0.1, 0.2],
        np.array([0.1])]),
    row("{} must be in (0, 1)", "hypothesis_worlds.world(chance) parity.geometric(p) "
        "decisions.least_threshold(delta) "
        "background.two_sided_geometric(alpha)", [1, F(1)]),
    row("{} must be in (0, 1]", "sampling.bounds(target) "
        "counting.binary_queries(histories) exchange.to_pld(step)", [1.5, -1.0, 2.0]),
    row("{} must be in (0, 1e6]", "sampling.by_sampling(step) privacy_loss.of_pair(step)", [0.0]),
    row("{} must be in (0, inf]", "accounting.renyi_divergence(order) "
        "decisions.least_threshold(eps)", [0.0], ["1"]),
    row("{} must be in [0, 1)", "synergy.deviation_of_shares(compromised) "
        "synergy.geometric_deviation(p) decisions.least_threshold(p)", [1, 1.0]),
    row("{} must be in [0, 1]", "worlds.bits,correlated_pairs(probabilities)", [[10**5000],
        [HALF, F(-1, 9)], [HALF, 2]]),
    row("{} must be in [0, 1]", "experiments.leaky_response(delta) "
        "hypothesis_worlds.parity(deltas) hypothesis_worlds.world(chance) hypotheses.pair(deltas) "
        "hypotheses.product(probabilities) memberships.at_most(deltas) "
        "sampling.by_sampling(rates) "
        "sampling.randomized_response(delta) sampling.sampled(rate) "
        "privacy_blanket.blanket(weights) "
        "release.decide(delta) synergy.least_geometric,least_records(p) "
        "composition.theorem_6(delta2) counting.exact,pair(probabilities) "
        "daily_counts.participation(chance) kanonymity.sampled(rate) "
        "published.proposition_7(probabilities) published.theorem_6(nu) thresholding.exact,pair,"
        "two_sided(probabilities) audit.of_file(delta) accounting.heterogeneous(deltas) "
        "accounting.optimal(delta) laws.binomial(probability) "
        "trade_off_curves.false_negatives(alpha) "
        "beliefs.best_statement,statement,uncertainties,worst_target(probabilities) "
        "dependence.households(p) background.posterior_bounds(prior) "
        "background.response_ratio(truth) mechanisms.make_randomized_response(truth) "
        "worlds.correlated_pairs(agree)", [-1, 2, F(5, 4), F(3, 2), F(-1, 9)]),
    row("{} must be in [0, 1]", "memberships.soft(outside) sampling.amplified(rate) "
        "kanonymity.sampled_bound(rate) beliefs.best_statement,worst_target(delta) "
        "decisions.recommend(p)", [-1, 2, F(5, 4), 1.5, 1.1, nan, -0.1, 2.0], ["half", "x", [0.1],
        "0.5"]),
    row("{} must be in [0, 700]", "hypothesis_worlds.parity(epsilons) "
        "hypotheses.number_against_none(eps) "
        "hypotheses.pair(epsilons) memberships.at_most(epsilons) "
        "sampling.randomized_response(eps) accounting.optimal(eps) "
        "trade_off_curves.in_words(eps)", [800, -1]),
    row("{} must be in [0, inf]", "release.decide(eps,most_noise) counting.log_delta_vertex,"
        "worst_vertex(eps) daily_counts.growth_bound(c) "
        "noise.worst_vertex(eps) background.posterior_bounds(eps)", [-1, nan, -0.1, -inf, -1.0],
        ["1", None]),
    row("{} must be in [1e-10, 1]", "counting.worst_case,worst_vertex(tol) noise.worst_case(tol) "
        "suppressed_tables.epsilon,least_epsilon(delta)", [0.0, -1e-08, nan, inf, 0, 1e-11, 1.5],
        ["a"]),
    row("{} must be integers ≥ 0, one for each of the 0 probabilities, with a sum of at most "
        "10000000000", "privacy_blanket.blanket(multiplicities) counting.exact(multiplicities) "
        "published.proposition_7(multiplicities) "
        "thresholding.exact,pair,two_sided(multiplicities)", [[-1]]),
    row("{} must be numbers in [0, 1]", "couplings.refine(prior) hypotheses.pair(prior) "
        "counting.exact,pair(probabilities) thresholding.exact,"
        "pair,two_sided(probabilities) beliefs.best_statement,statement,uncertainties,"
        "worst_target(probabilities)", [], ["uniform", "none", [["a"]], ["a"], "0.5"]),
    row("{} must be numbers in [0, 700]", "memberships.at_most(epsilons) "
        "accounting.heterogeneous(epsilons)", [], ["0.1", ["a"]]),
    row("{} must be one number or 1 in a row", "sampling.by_sampling(rates) "
        "accounting.heterogeneous(deltas)", [[0.5, 0.5], [0.1, 0.2]]),
    row("{} must be one-dimensional with values in [0, 1]", "counting.exact,pair(probabilities) "
        "thresholding.exact,pair,two_sided(probabilities) beliefs.best_statement,statement,"
        "uncertainties,worst_target(probabilities)", [0.5, [[0.5, 0.25]], [[0.5]]]),
    row("{} must be several bits", "experiments.view_law(bits) daily_profiles.gaussian_signal(a)",
        [], [3, None]),
    row("{} must be several integers", "noiseless_privacy.add_or_remove(inserted) "
        "privacy_loss.bracket(times)", [], [1, "x", 0.5]),
    row("{} must be several pairs", "sampling.by_sampling(pairs) privacy_loss.bracket(pairs)", [],
        [np.array(1.0), None, "x", 0.5]),
    row("{}: probabilities must sum to 1", "experiments.hypothesis_delta(other) "
        "hypothesis_worlds.world(prior,other) "
        "post_processing.attaining_channel(given_a) worlds.copied(law) "
        "worlds.hidden_parameter(parameter)", [{(0, 1): HALF, (1, 0): F(1,
        3)}]),
    # databases
    row("epsilons must have shape (1,), one for each bit", "couplings.joint", other={(0,): 0.5,
        (1,): 0.5}, prior={(0,): 0.5, (1,): 0.5}),
    row("{} must be in [0, 50]", "couplings.joint(epsilons)", [[-1.0]], other={(0,): 0.5,
        (1,): 0.5}, prior={(0,): 0.5, (1,): 0.5}),
    row("{} must be one of ('both', 'forth', 'back')", "couplings.joint(direction)", ["up"],
        epsilons=[1.0], other={(0,): 0.5, (1,): 0.5}, prior={(0,): 0.5, (1,): 0.5}),
    row("{} must be several (bits, other, weight)", "couplings.largest(matches)", [], [[]]),
    row("{} must be several matches (bits, other, weight)", "couplings.largest(matches)", [], [3]),
    row("{} and other must have at most 14 vectors of positive weight together",
        "couplings.orders(prior)", [np.array([[[0.125, 0.125], [0.125, 0.125]], [[0.125, 0.125],
        [0.125, 0.125]]])], epsilons=[1.0, 1.0, 1.0], other=np.array([[[0.125, 0.125], [0.125,
        0.125]], [[0.125, 0.125], [0.125, 0.125]]])),
    row("other must be on 1 bits", "couplings.refine(prior)", [{(0,): 0.5, (1,): 0.5}]),
    row("the number of bits of prior must be an integer in 1…10", "couplings.refine(prior)", [{(0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0): 1}]),
    row("{} must be numbers in [0, 1]", "couplings.refine(prior)", [], [[[0.5, 0.5], [0]]]),
    row("{} must be a mapping, or of shape (2,)*k", "couplings.refine(prior)", [[0.5, 0.25, 0.25]]),
    row("{} must have tuples of bits", "couplings.refine(prior) "
        "hypothesis_worlds.world(prior) hypotheses.pair(prior)", [],
        [{"01": 1}]),
    row("{} must have vectors of one length, at least 1", "couplings.refine(prior) "
        "hypothesis_worlds.world(prior) hypotheses.pair(prior)", [{(0,
        1): HALF, (1,): HALF}, {(): 1}]),
    row("{} must have weights that sum to 1", "couplings.refine(prior) "
        "hypotheses.exchangeable(other) hypotheses.of_size(law) hypotheses.pair(prior,other)",
        [[0.5, 0.4], [0.5, 0.6]]),
    row("{}: a bit of ('0',) must be an integer in 0…1", "couplings.refine(prior)", [],
        [{("0",): 1}]),
    row("{}: a bit of (2,) must be an integer in 0…1", "couplings.refine(other)", [{(2,): 1.0}]),
    row("{}: the weight of (0,) must be a number in [0, 1]", "couplings.refine(other,prior)",
        [{(0,): -0.5}, {(0,): F(3, 2)}], [{(0,): "1"}, {(0,): True}]),
    row("{} must be a function of a database", "experiments.Move(mechanism)", [], [3],
        databases=((), ())),
    row("{} must be a tuple of two", "experiments.Move(databases)", [], [((),)], mechanism=len),
    row("{} must be a tuple of two tuples of records", "experiments.Move(databases)", [], [((),
        [1])], mechanism=len),
    row("{} must be an integer in 1…10000", "experiments.composition_delta(k) "
        "memberships.at_most(search)", [0]),
    row("{} must have vectors of 2 bits, as prior has", "experiments.hypothesis_delta(other) "
        "hypothesis_worlds.world(other)", [{(0, 1, 1): 1}, {(0, 0, 0): 1}]),
    row("{} must be a Move", "experiments.make_planned(moves)", [], [[len]]),
    row("{} must be a function of the replies so far", "experiments.play,view_law(adversary)", [],
        [3]),
    row("the adversary has 2 moves, and was asked for another one", "experiments.view_law(bits)",
        [(0, 1, 0)]),
    row("the adversary's move after () must be a Move", "experiments.view_law(adversary)", [],
        [len]),
    row("{} must be 1…10000 bits", "experiments.view_law(bits)", [()]),
    row("{}: a bit must be an integer in 0…1", "experiments.view_law(bits)", [(0, 2)], [(0, True)]),
    row("{} must be 1…10000 numbers in a row", "hypothesis_worlds.parity(epsilons)", [[], [[1.0]]]),
    row("{} must be one number or 1 in a row", "hypothesis_worlds.parity(deltas)", [[0.1, 0.2]],
        epsilons=[1.0]),
    row("{} must be an integer in 0…2", "hypothesis_worlds.world(known)", [[3]]),
    row("{} must be in 1…2", "hypothesis_worlds.world(known)", [[0]]),
    row("{}: a bit of (0, 2) must be an integer in 0…1", "hypothesis_worlds.world(prior) "
        "hypotheses.pair(prior)", [{(0, 2): 1}]),
    row("{}: the probability of (0, 1) must be ≥ "
        "0", "hypothesis_worlds.world(prior)", [{(0, 1): -1, (1,
        1): 2}]),
    row("{}: the probability of (0,) must be an int or a "
        "Fraction", "hypothesis_worlds.world(prior)", [],
        [{(0,): 0.5, (1,): 0.5}]),
    row("{} must be 2 numbers in a row", "hypotheses.against_none,pair(epsilons)", [[1, 1, 1]]),
    row("other must have 2 masses", "hypotheses.exchangeable,ordered(law)", [[0.5, 0.5]]),
    row("{} must be in [0, 1]", "hypotheses.exchangeable(delta)", [2.0], law=[0.5, 0.5],
        other=[0.5, 0.5]),
    row("{} must be in [0, 700]", "hypotheses.exchangeable(eps)", [-1.0], ["1"], law=[0.5, 0.5],
        other=[0.5, 0.5]),
    row("{} must be an integer in 0…1", "hypotheses.given_number(least,most)", [2], law=[0.5, 0.5]),
    row("{} must give some weight to 1…1", "hypotheses.given_number(law)", [[1.0, 0.0]], least=1),
    row("{} must give some weight to vectors other than 0", "hypotheses.not_none(prior)",
        [np.array([[1.0, 0.0], [0.0, 0.0]])]),
    row("{} must have 2…21 masses", "hypotheses.of_size(law)", [[1.0]]),
    row("{} must be larger than other in likelihood ratio, so that law(j)/other(j) does not fall "
        "in j", "hypotheses.ordered(law)", [[0.5, 0.5]], other=[0.25, 0.75]),
    row("the number of bits of prior must be an integer in 1…20", "hypotheses.pair(prior)", [{(0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0): 1.0}]),
    row("{} must be one number or 2 in a row", "hypotheses.pair(deltas) "
        "memberships.at_most(deltas)", [[0.1], [0.1, 0.1, 0.1]]),
    row("{} must be over 2 bits, as prior is", "hypotheses.pair(other)", [np.array([[[0.125,
        0.125], [0.125, 0.125]], [[0.125, 0.125], [0.125, 0.125]]])]),
    row("{} must have 1…20 axes of length 2", "hypotheses.pair(prior)",
        [np.array([[0.16666666666666666, 0.16666666666666666, 0.16666666666666666],
        [0.16666666666666666, 0.16666666666666666, 0.16666666666666666]])]),
    row("{}: a bit of (True, False) must be an integer in 0…1", "hypotheses.pair(prior)", [],
        [{(True, False): 1.0}]),
    row("{}: the weight of (0, 0) must be in [0, 1]", "hypotheses.pair(prior)", [{(0, 0): 1.5, (0,
        1): -0.5}]),
    row("{}: the weight of (0, 1) must be in [0, 1]", "hypotheses.pair(prior)", [], [{(0,
        1): "1"}]),
    row("the number of bits must be an integer in 1…20", "hypotheses.point(bits)", [[]]),
    row("{} must be several bits", "hypotheses.point(bits)", [], [1]),
    row("{}: a bit of ([0, 1], [0]) must be an integer in 0…1", "hypotheses.point(bits)", [],
        [[[0, 1], [0]]]),
    row("{} must be an integer in 1…20", "hypotheses.uniform(k)", [21, 0], [2.0]),
    row("{} must be 1…100000 numbers in a row", "memberships.at_most(epsilons)", [[], [[0.1]]]),
    row("{} must be 2 labels", "memberships.at_most(databases)", [[1]]),
    row("{} must be a function of the ε and the δ of mechanisms",
        "memberships.at_most(theorem)", [], ["optimal", 3]),
    row("{} must be an integer in -1000000000000…1000000000000", "memberships.at_most(databases)",
        [], [["a"]]),
    row("{} must be an integer in 0…1", "memberships.at_most(m)", [2], databases=[1, 1, 1],
        epsilons=[0.1, 0.1, 0.1]),
    row("common, free and premium must have each of 0…2 once", "memberships.either_or(epsilons)",
        [[0.1, 0.1, 0.1]]),
    row("{} must be an integer in 0…1", "memberships.either_or(common)", [[0, 2]]),
    row("{} must be several numbers of mechanisms", "memberships.either_or(common)", [], ["0"]),
    row("{}, free and premium must have each of 0…1 once", "memberships.either_or(common)", [[0]]),
    row("{} must be numbers in a row that sum to 1", "published.averaging(weights) "
        "sampling.averaged(weights)", [[0.5], [0.5, 0.4], []]),
    row("later must have the shape of epsilons, (1,)", "published.corollary_6(epsilons)", [[1.0]]),
    row("{} must be in [0, 1]", "published.corollary_6(later_deltas)", [1.5], epsilons=[1.0],
        later=[0.0]),
    row("{} must be one number or 1 in a row", "published.corollary_6(deltas,"
        "later_deltas)", [[0.0, 0.0], [0, 0]], epsilons=[1.0], later=[0.0]),
    row("epsilons must be 1 numbers", "sampling.averaged(weights)", [[1.0]]),
    row("{} must be one number or 1 in a row", "sampling.averaged(deltas)", [[0, 0]], epsilons=[1],
        weights=[1.0]),
    row("{} must not all be 0", "sampling.by_first,by_sampling(rates)", [[0.0]]),
    row("times must be one number for each of the pairs", "sampling.by_sampling(pairs)", [[]]),
    row("{} must be an integer in 1…1000000", "sampling.by_sampling(times)", [[0]]),
    row("{} must be one number for each of the pairs", "sampling.by_sampling(times)", [[1, 2]]),
    row("the number of pairs on a grid of losses must be an integer in 1…100",
        "sampling.by_sampling(pairs)", [[sampling.randomized_response(k / 101, 0)
        for k in range(1, 102)]], rates=0.5, times=[1] * 101),
    # noiseless
    row("{} must be an integer in 1…10000000000", "adversaries.Adversary(group)", [0], [2.0],
        known=0.5),
    row("{} must be in [0, 1)", "adversaries.Adversary(known)", [1.0, nan], ["0.5", True], group=1),
    row("{} must be an integer in 1…16", "adversaries.peaked_group(size)", [17]),
    row("{} must be a Adversary", "adversaries.worst_case(adversary) "
        "release.decide(adversary)", [], [0.5, 3, 0.1]),
    row("{} must be an integer in 2…1000000000", "adversaries.worst_case(n)", [10**10],
        conditional=True),
    row("shift must be a multiple of the step, 2", "privacy_blanket.bound(step)", [2]),
    row("{} must be an integer in 1…1000000000000000",
        "privacy_blanket.bound,largest_weight(step)", [0, -1], [1.5]),
    row("{} must be in (-0.25, 1) for this p", "chains.causal,conditional(correlation)", [-0.25],
        p=0.2),
    row("{} must be in (-1, 1) for this p", "chains.causal,conditional(correlation)", [1.0],
        [None]),
    row("{} must be in [1e-75, 1)", "chains.causal,conditional(p)", [1e-300, 1, 1.5], ["half"]),
    row("{} must be so far from 1 that 200 neighbours are expected to differ, among more than "
        "32768 records", "chains.causal,conditional(correlation)", [0.999], n=100000),
    row("{} must let each value follow each, with a probability that a float can tell from 0 and "
        "1", "chains.causal(correlation)", [0.5], p=0.9999999999999999),
    row("{} must be an integer in 1…2", "chains.conditional(position)", [0, 10], [2.0]),
    row("{} must be an integer in 0…1000000000000000", "privacy_blanket.blanket(steps)", [-1]),
    row("{} must be an integer in -1000000000000000…1000000000000000",
        "privacy_blanket.bound(shift)", [], [0.5]),
    row("{} must be at most 1000000000", "privacy_blanket.bound(blocks)", [[({0: 1.0}, 10**9),
        ({0: 1.0}, 10**9)]]),
    row("{} must be several pmfs or pairs (pmf, "
        "count)", "privacy_blanket.bound(blocks)", [], [{0: 1.0}]),
    row("{}[0] must be a mapping to masses", "privacy_blanket.bound(blocks)", [], [[3]]),
    row("{}[0]: the count must be an integer in "
        "0…1000000000", "privacy_blanket.bound(blocks)", [[({0: 1.0},
        -1)]], [[({0: 1.0}, 2.0)]]),
    row("{}[1]: masses must sum to 1", "privacy_blanket.bound(blocks)", [[{0: 1.0}, {0: 0.5}]]),
    row("{} must be a mapping to masses", "privacy_blanket.largest_weight(pmf)", [], [[0.5, 0.5]]),
    row("{}: a value must be an integer in -1000000000000000…1000000000000000",
        "privacy_blanket.largest_weight(pmf)", [{10**16: 1.0}], [{0.5: 1.0}]),
    row("{}: masses must sum to 1", "privacy_blanket.largest_weight(pmf)", [{0: 0.5, 1: 0.4}, {}]),
    row("{}: the mass of 0 must be in [0, "
        "1]", "privacy_blanket.largest_weight(pmf)", [{0: -0.5, 1: 1.0},
        {0: nan}], [{0: "1"}]),
    row("{} must be a Pair", "gaussian_noise.add(pair)", [], ["S"]),
    row("{} must be in [0.01, 100000]", "gaussian_noise.add(scale) parity.gaussian(scale) "
        "smoothing.bound,total_variation(scale)", [0.0, 0.009, 110000.0, nan, -1, 0], ["1"]),
    row("group 0 must be a mapping to fractions", "known_values.known_delta(groups)", [],
        [[({(0,): HALF, (1,): HALF}, 2)]]),
    row("group 0: probabilities must sum to 1", "known_values.known_delta(groups)",
        [[{(0,): HALF}]]),
    row("group 0: the probability of (0,) must be an int or a Fraction",
        "known_values.known_delta(groups)", [], [[{(0,): 0.5, (1,): 0.5}]]),
    row("{} must be a pair (group, record)", "known_values.known_delta(known) "
        "noiseless_privacy.add_or_remove,causal,conditional,replace(target)", [], [[1]]),
    row("{} must be an integer in -1000000…1000000", "known_values.known_delta(inserted)", [],
        [[0.5]], groups=[{(0,): HALF, (1,): HALF}, {(0, 0): F(3, 8), (1, 1): F(3, 8), (0, 1): F(1,
        8), (1, 0): F(1, 8)}]),
    row("{} must be different records other than the target's (0, 0)",
        "known_values.known_delta(known)", [[(0, 0)]]),
    row("{} must be different records other than the target's (0, 0)",
        "known_values.known_delta(known)", [[(1, 0), (1, 0)]], groups=[{(0,): HALF, (1,): HALF},
        {(0, 0): F(3, 8), (1, 1): F(3, 8), (0, 1): F(1, 8), (1, 0): F(1, 8)}]),
    row("{} must be one of ('add or remove', 'replace', 'conditional', 'causal', 'marginal "
        "causal')", "known_values.known_delta(notion)", ["any"]),
    row("{} must be several joint laws", "known_values.known_delta(groups) "
        "noiseless_privacy.add_or_remove,"
        "causal,conditional,replace(groups)", [], [{(0,): HALF, (1,): HALF}]),
    row("{} must be several records", "known_values.known_delta(known)", [], [1]),
    row("{}: the group must be an integer in 0…0", "known_values.known_delta(target) "
        "noiseless_privacy.add_or_remove,causal,conditional,replace(target)", [(2, 0), (1, 0)]),
    row("{}: the record must be an integer in 0…1", "known_values.known_delta(known)", [[(1, 2)]],
        groups=[{(0,): HALF, (1,): HALF}, {(0, 0): F(3, 8), (1, 1): F(3, 8), (0, 1): F(1, 8), (1,
        0): F(1, 8)}]),
    row("{} must be one with at most 20000 sets of so many records, to try them all",
        "known_values.worst_subset(size)", [15], groups=[{(0,): HALF, (1,): HALF}] * 31),
    row("{} must be in [0, 1e30]", "normal_bounds.berry_esseen_for_half_lines(third) "
        "normal_bounds.stein_for_half_lines(fourth)", [-1, nan]),
    row("{} must be ≥ 0", "normal_bounds.for_half_lines(distance)", [-1]),
    row("{} must be in (0, 1e+18]", "normal_bounds.gaussian(variance)", [0]),
    row("{} must be in [1e-06, 1e+09]", "normal_bounds.gaussian(step) smoothing.bound,"
        "total_variation(width,step)", [0, inf]),
    row("{} must be in [0, 1e6]", "normal_bounds.root_n_delta_limit(root_n_eps)", [-1]),
    row("{} must be one of ('groups', 'graph', 'ross')",
        "normal_bounds.stein_for_half_lines(dependence)", ["any"]),
    row("group 0 must be a joint law or a pair of one and a "
        "count", "noiseless_privacy.add_or_remove,causal,"
        "conditional,replace(groups)", [], [[({(0,): HALF, (1,): HALF}, 1, 1)]]),
    row("group 0 must be a mapping to masses, from the tuple of its records' values",
        "noiseless_privacy.add_or_remove,causal,conditional,replace(groups)", [], [[[0.5, 0.5]]]),
    row("group 0 must have masses that sum to 1", "noiseless_privacy.add_or_remove,causal,"
        "conditional,"
        "replace(groups)", [[{(0,): 0.5, (1,): 0.6}]]),
    row("group 0 must have tuples of one length, at least 1", "noiseless_privacy.add_or_remove,"
        "causal,"
        "conditional,replace(groups)", [[{(0,): 0.5, (1, 1): 0.5}], [{(): 1}]]),
    row("group 0 must map tuples of integers to masses", "noiseless_privacy.add_or_remove,causal,"
        "conditional,replace(groups)", [], [[{0: 0.5, 1: 0.5}]]),
    row("group 0: each value must be an integer in "
        "-1000000…1000000", "noiseless_privacy.add_or_remove,"
        "causal,conditional,replace(groups)", [[{(10**7,): 1.0}]], [[{(0.5,): 1.0}]]),
    row("group 0: the mass of (0,) must be in [0, 1]", "noiseless_privacy.add_or_remove,causal,"
        "conditional,"
        "replace(groups)", [[{(0,): 1.5, (1,): -0.5}], [{(0,): nan}]]),
    row("group 1 must have tuples of one length, at least 1", "noiseless_privacy.add_or_remove,"
        "causal,"
        "conditional,replace(groups)", [[{(0,): HALF, (1,): HALF}, {}]]),
    row("the count of group 0 must be an integer in "
        "0…10000000000", "noiseless_privacy.add_or_remove,causal,"
        "conditional,replace(groups)", [[({(0,): HALF, (1,): HALF}, -1)]], [[({(0,): HALF,
        (1,): HALF}, 1.5)]]),
    row("{} must be in a group that there is", "noiseless_privacy.add_or_remove,causal,conditional,"
        "replace(target)", [(1, 0)], groups=[{(0,): HALF, (1,): HALF}, ({(0,): HALF, (1,): HALF},
        0)]),
    row("{}: the record must be an integer in 0…0", "noiseless_privacy.add_or_remove,causal,"
        "conditional,"
        "replace(target)", [(0, 1)], groups=[{(0,): HALF, (1,): HALF}]),
    row("{} must be in (0, 1), above 1e-150", "parity.geometric(p)", [0, 1]),
    row("{} must be in [0.002, 1e+06]", "parity.laplace(scale)", [0]),
    row("{} must be in [0, 1e+18]", "smoothing.bound,total_variation(variance)", [-1]),
    row("{} must be at least one pmf", "sums.law(blocks)", [[]]),
    row("{} must be at most 1000000000 blocks", "sums.law(blocks)", [[({0: 0.5, 1: 0.5}, 10**9),
        {0: 1.0}]]),
    row("{} must be pmfs or pairs (pmf, count)", "sums.law(blocks)", [], [[0.5]]),
    row("{} must be several pmfs of integers, or pairs (pmf, count)", "sums.law(blocks)", [],
        [{0: 1.0}, 3]),
    row("{}: a mass of the pmf at 0 must be 0 or at least 5e-324", "sums.law(blocks)", [[{0: F(1,
        HUGE), 1: F(1)}]]),
    row("{}: a mass of the pmf at 0 must be in [0, 1]", "sums.law(blocks)", [[{0: nan, 1: 1.0}]],
        [[{0: "1"}]]),
    row("{}: a mass of the pmf at 1 must be in [0, 1]", "sums.law(blocks)", [[{0: 1.0}, {0: 1.5,
        1: -0.5}]]),
    row("{}: a value of the pmf at 0 must be an integer in -1000000000…1000000000",
        "sums.law(blocks)", [[{10**10: 1.0}]], [[{0.5: 1.0}], [{True: 1.0}]]),
    row("{}: the count at 0 must be an integer in 1…1000000000", "sums.law(blocks)", [[({0: 1.0},
        0)]], [[({0: 1.0}, 1.5)]]),
    row("{}: the pmf at 0 must have at least one value", "sums.law(blocks)", [[{}]]),
    row("{}: the pmf at 0 must sum to 1", "sums.law(blocks)", [[{0: 0.5, 1: 0.25}]]),
    row("{} must be an integer in -1000000000…1000000000", "sums.pair(shift)", [10**10], [0.5]),
    row("{} must be an integer other than 0 in ±1000000000", "sums.pair(shift)", [0]),
    row("{} must be in [1e-6, 1e7]", "synergy.geometric_ratio(deviation)", [0]),
    row("{} must be in [1e-300, 1]", "synergy.least_gaussian(delta)", [0]),
    row("{} must be in [1e-6, 100]", "synergy.least_gaussian(eps)", [0]),
    row("{} must be an integer in 0…1000000000", "synergy.least_geometric(m)", [-1]),
    # partial_knowledge
    row("{} must be a Fraction in (0, inf), or math.inf", "composition.nu(ratio)", [0]),
    row("{} must be one of ('joint', 'product')", "composition.nu(outputs)", ["separate"]),
    row("{} must be one of ('repaired', 'printed')", "composition.nu(convention)", ["mended"]),
    row("{} must be in [-1e300, inf]", "composition.theorem_6(mu)", [-inf]),
    row("{} must be 2^d probabilities in (0, 1], d ≥ 1", "counting.binary_queries(histories)",
        [[0.5], [0.3, 0.3, 0.3]]),
    row("{} must be numbers in (0, 1]", "counting.binary_queries(histories)", [], ["ab"]),
    row("{} must be probabilities in (0, 1] with a sum of at most 1",
        "counting.binary_queries(histories)", [[0.7, 0.7], [0.5, 0.500001]]),
    row("lam must be in (0, 1/3] for as many categories",
        "counting.closed_form,gaussian_limit,histogram,kl_form(categories)", [3]),
    row("lam must be in (0, 1/4] for as many categories", "counting.histogram(categories)", [4]),
    row("{} must be an integer in 0…1", "counting.histogram(known)", [10], lam=0.1),
    row("{} must be an integer in 2…10000000000", "counting.histogram(n)", [1], [10.0], lam=0.1),
    row("{} must be an integer in 2…4611686018427387904",
        "counting.closed_form,gaussian_limit,histogram,kl_form(categories)", [1], [3.0, True]),
    row("{} must be in 0…1", "counting.log_delta_vertex(m)", [-1, 10, [0, 10]]),
    row("{} must be integers in 0…1", "counting.log_delta_vertex(m)", [], [1.5, [0.5], "one"]),
    row("{} must be an integer in 0…4", "counting.new_users(known)", [[5, 0]], new=[5, 9]),
    row("{} must be one number of users or a list of them", "counting.new_users(new)", [[]]),
    row("{} must be one number or one for each of the 1 queries", "counting.new_users(known)", [[1,
        1, 1]]),
    row("{} must be in [0, inf], as a float can hold it", "counting.worst_vertex(eps)", [HUGE]),
    row("a and b must have equally many days", "daily_counts.count_dependency(b)", [(1,)]),
    row("{} and b must have at least two days", "daily_counts.count_dependency(a)", [(0,)], b=(1,),
        laws=[{(0,): HALF, (1,): HALF}]),
    row("{} must be one of ('last', 'all')", "daily_counts.count_dependency(of)", ["some"]),
    row("{}: the days must be 2", "daily_counts.count_dependency(laws)", [[{(0,): HALF,
        (1,): HALF}]]),
    row("{} must be 1, one a day but one", "daily_counts.daily_law(transitions)", [[]], days=2),
    row("{} must be a mapping to laws", "daily_counts.daily_law(transitions)", [],
        [[3]], days=2),
    row("{} must have a law after 0", "daily_counts.daily_law(transitions)", [{1: {}}], days=2,
        start={0: F(1)}),
    row("{}: the law after 0: probabilities must sum to 1", "daily_counts.daily_law(transitions)",
        [{0: {0: HALF}}], days=2, start={0: F(1)}),
    row("{} must be an integer in 0…0", "daily_counts.dependence_ratio(second)", [1],
        law={(0,): HALF, (1,): HALF}),
    row("{} must have tuples as keys", "daily_counts.dependence_ratio(law)", [], [{"ab": F(1)}]),
    row("{}: the days must be at least one, equally many", "daily_counts.dependence_ratio(law)",
        [{(0,): HALF, (1, 1): HALF}]),
    row("{} and b must have equally many days", "daily_counts.growth_bound(a)", [(0,)]),
    row("{} must be several values, one a day", "daily_counts.growth_bound(a)", [], [1.0]),
    row("{} must be in [0, 300]", "daily_counts.literal_constant(c)", [-1]),
    row("{} must be an integer in 0…0", "daily_counts.one_day(day)", [1], target={(0,): 1}),
    row("{} must be uncertain on day 0", "daily_counts.one_day(target)", [{(0,): 1}], laws=[]),
    row("{} must have series of at least two days", "daily_counts.one_day_dependency(target)",
        [{(0,): HALF, (1,): HALF}], laws=[]),
    row("{} must be in (0, 1)", "daily_profiles.MarkovChain(start)", [0.0], ["½"], rise=0.5,
        stay=0.5),
    row("{} must be in (0, 1)", "daily_profiles.MarkovChain(stay)", [1.0], rise=0.5, start=0.5),
    row("{} - 1 - known must be an integer in 0…1000", "daily_profiles.bracket(n)", [5000], a=(0,),
        b=(1,)),
    row("{} must be in [1e-6, 1]", "daily_profiles.bracket(step)", [0], a=(0,), b=(1,)),
    row("{} must be an integer in 2…10000000000", "daily_profiles.gaussian_limit(n)", [1], a=(0,),
        b=(1,)),
    row("{} and b must have equally many days, 1…4000", "daily_profiles.gaussian_signal(a)", [()]),
    row("{} must be a sequence of 0s and 1s", "daily_profiles.gaussian_signal(a)", [(0, 2)]),
    row("{} - 1 - known must be an integer in 0…200000", "daily_profiles.moment_bound(n)", [10**7],
        a=(0,), b=(1,)),
    row("{} must be an integer in 2…1000000", "dependent_counts.peaked(n)", [10**7]),
    row("{} must be hashable, as records are", "kanonymity.joint_law(target)",
        [], [[["a"]]]),
    row("hidden must be in (0, 0.1]", "kanonymity.hidden_by_rare(lam)", [0.1]),
    row("the number of histograms must be at most 2000000, to list them all",
        "kanonymity.joint_law", records=[{"a": HALF}] * 300, values="abc"),
    row("{} must be several mappings", "kanonymity.joint_law(records) "
        "kanonymity.make_minimal_generalization(levels)", [], [5, None]),
    row("{} must be several hashable values", "kanonymity.joint_law(values)", [], [5, [["a"]]]),
    row("{}: record 0 must be a mapping to probabilities", "kanonymity.joint_law(records)", [],
        [["a"]]),
    row("{}: record 0 must have probabilities ≥ 0 with a sum of at most 1",
        "kanonymity.joint_law(records)", [[{"a": F(3, 2)}]]),
    row("{}: record 0, 'a' must be an int or a Fraction", "kanonymity.joint_law(records)", [],
        [[{"a": 0.5}]]),
    row("{}: record 1 must have probabilities ≥ 0 with a sum of at most 1",
        "kanonymity.joint_law(records)", [[{"a": HALF}, {"a": F(-1, 2)}]]),
    row("{} must be at least one mapping", "kanonymity.make_minimal_generalization(levels)", [[]]),
    row("{} must be a mapping to values",
        "kanonymity.make_truncated_histogram(generalization)", [], ["b", ["a"]]),
    row("{} must be a mapping to values", "kanonymity.make_minimal_generalization(levels)", [],
        [["a"], [None]]),
    row("{} must be different values", "kanonymity.make_truncated_histogram(values)", ["", "aa"]),
    row("{} must be at most 10000000000 times the rate 1e-06", "kanonymity.sampled_bound(k)",
        [10**9], rate=1e-06),
    row("{} must be an integer in 0…4", "kanonymity.theorem_5(certain)", [5], known=5, n=10),
    row("{} must be in [0, 0.5]", "kanonymity.theorem_5(rare)", [0.7], ["x"]),
    row("{} must be one of ('any', 'rare/absent', 'rare/rare', 'common/absent', 'common/common', "
        "'rare/common')", "kanonymity.theorem_5(pair)", ["rare", 3]),
    row("{} must be at least one, or None for all", "kanonymity.worst_delta(pairs)", [[]]),
    row("{} must be hashable, as records are", "kanonymity.worst_delta(pairs)", [], [[("a", [])]]),
    row("{} must be tuples (a, b) of two values", "kanonymity.worst_delta(pairs)", [["a"]]),
    row("{} must be in [1e-200, 1)", "noise.Geometric(p)", [0, 1, -0.5, 1.5, nan], ["half"]),
    row("{} must be in [0.002, 1e9]", "noise.Laplace(scale)", [0, -1, inf, nan, 0.001]),
    row("{} must be one of ('case 1', 'case 2', 'closed form', 'numeric')",
        "published.figure_2(series)", ["", "Case 1", "case 3", None, 1]),
    row("{} must be an integer in 0…99999", "published.figure_5(known)", [100000], [5.0]),
    row("{} must be one of ('without noise', 'with noise')", "published.figure_5(series)",
        ["noise", None, 3]),
    row("{} must be one of ('no noise', 'p = 0.5', 'p = 0.6')", "published.figure_6(series)",
        ["p = 0.75", None, 0.5]),
    row("{} must be one of ('sqrt(n) mu2^3', 'sqrt(n mu2)^3', 'sqrt(n mu2^3)')",
        "published.proposition_7(reading)", ["", "sqrt(n mu2)", None, 3]),
    row("{} must be one of ('literal', 'exponential', 'rate', 'multinomial', 'rate only')",
        "published.theorem_3(reading)", ["Literal", "", "tail", None, 2]),
    row("{} must be one of ('literal', 'threshold', 'exponential', 'rate', 'multinomial', "
        "'target', 'doubled', 'rate only')", "published.theorem_5(reading)", ["k", None]),
    row("{} must be in [1e-10, 1]", "thresholding.passive_worst_case(tol)", [0.0], ["x"], n=10),
    row("{} must be an integer in 1…2", "thresholding.two_sided(symbols)", [0, 3], [1.0],
        probabilities=[0.5, 0.5, 0.5]),
    row("{} must be in [0, inf]", "thresholding.worst_numbers(eps)", [-0.1], ["one", None], n=10),
    # practice
    row("{} must be an integer in 0…9223372036854775807", "attack.on_count(seed)",
        [9223372036854775808]),
    row("{} must be an integer in 1…10000000", "attack.on_count(rounds)", [0]),
    row("{} must be one of ('active', 'passive')", "attack.on_count(attacker)", ["lazy"]),
    row("counts must be of columns that neither by nor model has: what is public, or known to her,"
        " cannot be protected", "audit.of_file(by)", ["vote"]),
    row("{} must be 'independent'", "audit.of_file(assume)", ["dependent"]),
    row("{} must be 1 columns, one for each count", "audit.of_file(probabilities)", [("p", "gap")]),
    row("{} must be 1…16 different counts", "audit.of_file(counts)", [[], ["vote=Y", "vote=Y"]]),
    row("{} must be COLUMN=VALUE, or COLUMN of 0 and 1", "audit.of_file(counts)", ["=Y"]),
    row("{} must be a fraction in [0, 1), or an integer ≥ 0", "audit.of_file(known)", [1.0],
        [[["hiv-positive"]]]),
    row("{} must be a path, or a table of pandas, polars, Arrow, DuckDB or Dask",
        "audit.of_file(file)", [], [3]),
    row("{} must be empty where tables are given", "audit.of_file(by)", ["sex"], tables=["bit"]),
    row("{} must be None with several tables", "audit.of_file(threshold)", [5],
        tables=["sex", "bit"]),
    row("{} must be a list of lists of columns in YAML", "audit.of_file(tables)", [Path(AUDITED)]),
    row("{} must have the label of each of the", "audit.of_file(cells)", [["x"]]),
    row("{} must be several texts", "audit.of_file(cells)", [], [3]),
    row("known must be given with epsilon, as a goal depends on it", "audit.of_file(epsilon)",
        [1.0], known=None),
    row("{} must be the numbers of an earlier report", "audit.of_file(after)", [AUDITED]),
    row("{} must be alone: give one of lam", "audit.of_file(lam)", [0.1], probabilities="p"),
    row("{} must be an integer in 0…10000000000", "audit.of_file(known)", [-1]),
    row("{} must be in (0, 700]", "audit.of_file(epsilon)", [0], known=0),
    row("{} must be the name of a column", "audit.of_file(household)", [], [3]),
    row("{} must exist", "audit.of_file(file)", ["nothing.csv"]),
    row("{} must name a value of 'vote' each time or never", "audit.of_file(counts)", [["vote=Y",
        "vote"]]),
    # profiles
    row("{} must be 1…1000000 numbers in a row", "accounting.heterogeneous(epsilons)", [[]]),
    row("{} must be an integer in 1000…10000000", "accounting.heterogeneous(cells)", [9]),
    row("{} must be in [0, 1]", "laws.PoissonBinomial(probabilities)", [[1.5]], multiplicities=[1]),
    row("{} must be in [0, 1]", "laws.PoissonBinomial(probabilities)", [[nan]],
        multiplicities=None),
    row("{} must be integers ≥ 0, one for each of the 1 probabilities, with a sum of at most "
        "10000000000", "laws.PoissonBinomial(multiplicities)", [[-1], [1, 2]],
        probabilities=[0.5]),
    row("{} must be one-dimensional with values in [0, 1]", "laws.PoissonBinomial(probabilities)",
        [[[0.5]]], multiplicities=None),
    row("{} must be an integer in 0…2000000", "binomials.binomial_masses(trials)", [], [None]),
    row("eps must be in [0, 700]", "post_processing.of_guarantees", deltas=[0.0], epsilons=[-1.0]),
    row("epsilons and deltas must be equally many, at least one",
        "post_processing.of_guarantees(deltas)", [[0.0]]),
    row("{} and deltas must be equally many", "post_processing.of_guarantees(epsilons)", [[]]),
    row("{} must be in [0, 700]", "post_processing.pure(epsilons)", [[-1.0], [nan], [1, nan]]),
    row("{} must be at least 1.79e-05 for these losses", "privacy_loss.bracket(step)", [1e-06,
        1e-07], times=[30]),
    row("{} must be one number for each of the 1 pairs", "privacy_loss.bracket(times)", [[1, 2]]),
    row("largest must be 1 to 1000000 times the step, 1e-09", "privacy_loss.of_profile(step)",
        [1e-09]),
    # What one page needs
    row("{} must be those of two or more records", "beliefs.best_statement,statement,"
        "uncertainties,worst_target(probabilities)", [[0.5]]),
    row("{} must be large enough for some threshold up to 10000000",
        "decisions.least_threshold(eps)", [1e-06], delta=1e-06),
    row("{} must be in (0, 1)", "decisions.recommend(delta)", [0.0, 1.0], n=10),
    row("{} + number·size must be at most 1000000", "dependence.households(singles)", [3],
        number=10**6),
    row("{} must be an integer in 1…3", "families.conditional,definition_3,independent(size) "
        "suppressed_tables.epsilon,least_epsilon,suppressed(k)",
        [0, 4, 7, -1], [2.0, 1.5]),
    row("{} must be one of ('Guatemala', 'Saxony')", "families.conditional,correlation,"
        "definition_3,independent,table(data)", ["Chile", "guatemala", "Bavaria", ""]),
    row("{} must be an integer in 2…3", "families.correlation(size)", [1]),
    row("{} must be some of region, sex, education, vote, at least one, each once",
        "microdata.cells(columns)", [(), ("sex", "sex"), "sex", ("age",)], [5, None, [["sex"]],
        ["sex", 5], b"sex"]),
    row("{} must be some of region, sex, age, education, income, population, statusquo, each once",
        "plebiscite.attacker(predictors)", [("age", "vote"), ("age", "age"), "age"], [5, None,
        [["age"]], ["age", 5], [None]]),
    row("{} must be at least two integers ≥ 1, with a sum of at most 100000",
        "suppressed_tables.epsilon,least_epsilon,suppressed(counts)", [[3], [0, 2],
        [-1, 2], [[1, 2]]], [[], [1.5, 2], "ab", None, [True, False]]),
    row("{} must be a mapping to cells", "tables.of_columns(columns)", [], [3]),
    row("{} must have one length", "tables.of_columns(columns)", [{"a": [1], "b": [1, 2]}]),
    row("{} must be for headings, ('a',)", "tables.of_rows(formats)", [{"b": ".2f"}],
        headings=["a"]),
    row("{} must be one or more texts, no two the same", "tables.of_rows(headings)", [[], "ab"]),
    row("{} must be several texts", "tables.of_rows(headings)", [], [None]),
    row("{} must be texts", "tables.of_rows(headings)", [], [[1j], [(1,)], [b"x"]]),
    row("{} must fit what is below it", "tables.of_rows(formats)", ["d"], headings=["a"],
        rows=[(0.5,)]),
    row("{} must have 2 cells each", "tables.of_rows(rows)", [[(1, 2), (1,)], ["xy"]]),
    row("{} must hold numbers", "tables.of_rows(rows)", [[(nan,)]], headings=["a"]),
    row("{} must hold texts", "tables.of_rows(rows)", [], [[(1j,)], [(b"x",)]], headings=["a"]),
    row("{} must be a str", "tables.plain(text)", [], [3]),
    row("{} must be one of ('δ, from nothing', 'δ, one more', 'ε, from nothing', 'δ, different', "
        "'δ, different, tail')", "timings.compared(question)", ["δ"], caption=""),
    row("{} must be one of ('exact, equal', 'exact, different, first value', 'exact, different, "
        "one more', 'worst case', 'blanket', 'tail', 'exact, certified', 'worst case, certified', "
        "'blanket, certified', 'threshold, worst case', 'threshold, passive', 'geometric noise', "
        "'geometric noise, worst case', 'k-anonymity, corrected', 'chain, causal', 'sum of equal "
        "blocks', 'many databases, three kinds', 'days composed, upper', 'world of bits, PPK')",
        "timings.growth(engine)", ["abacus"]),
    row("{} must be one of ('exact, n = 10^7 equal, one value', 'exact, n = 10^6 different, ",
        "timings.of_questions(questions)", [["how long?"]], caption=""),
    row("{} must be one of ('δ, from nothing', 'δ, one more', 'ε, from nothing', 'δ, different', "
        "'δ, different, tail')", "timings.compared(question)", ["δ"], caption=""),
    row("unit must be so large that the sum of n wages is spread over at most 8388608 units",
        "weekly_wages.average(n)", [10**9]),
    row("{} and b must be two different wages", "weekly_wages.average(a)", [5], b=5),
    row("{} must be a multiple of unit, which is 10", "weekly_wages.average(a,b)", [5, 15],
        unit=10),
    row("{} must be an integer in -1000000…1000000", "weekly_wages.average(a) "
        "weekly_wages.maximum(b)", [10**7], [[0.5], 1.5, None]),
    row("{} and b must be two different wages", "weekly_wages.maximum(a)", [7], b=7),
    row("{} must be in (0, 1]", "weekly_wages.quantile(share)", [0, 0.0, 1.5, -1.0, 2.0], ["half"]),
    # worlds
    row("the number of databases must be at most 2000000, to list them all",
        "background.global_sensitivity,removal_ratio(n) enumeration.random_acceptable_world,"
        "random_world,small_worlds(n)", [30]),
    row("{} must be different values, at least one", "background.global_sensitivity,"
        "removal_ratio(records) enumeration.random_acceptable_world,random_world,"
        "small_worlds(records) mechanisms.make_randomized_response(records)", [[], [1, 1], (), (0,
        1, 0), (0, 0)]),
    row("{} must return numbers", "background.global_sensitivity(function)", [], [str]),
    row("{} must be in (0, 1]: random answers say nothing", "background.invert_survey(truth)", [0]),
    row("{} must be positive and finite", "background.laplace_density(scale) "
        "background.noise_ratio(eps,sensitivity)", [0, inf]),
    row("{} must be positive and finite", "background.laplace_density(scale)", [HUGE]),
    row("{} must be real numbers", "background.laplace_density(x)", [nan]),
    row("{} must be integers", "background.rounded_laplace(k)", [0.5]),
    row("{} must be an integer in -10000000000…10000000000", "background.two_sided_geometric(k)",
        [], [0.5]),
    row("the mechanism's output must be hashable, or a dict of probabilities",
        "definitions.cdp_ratio,ibcdp_ratio,np_ratio(mechanism) simulators.ddp_ratio(mechanism) "
        "posteriors.posterior_ratio(mechanism)", [list]),
    row("{} must be a World or several", "definitions.cdp_ratio,ibcdp_ratio,np_ratio(worlds) "
        "simulators.ddp_ratio(worlds) normalization.more_knowledge(stronger,weaker) "
        "posteriors.posterior_ratio(worlds) worlds.family,mixed(worlds)", [[]], [np.array(0.5),
        [3], 3, None, "x"]),
    row("{} must be at least one, or None for all records", "definitions.cdp_ratio,"
        "ibcdp_ratio,np_ratio(targets) simulators.ddp_ratio(targets) "
        "posteriors.posterior_ratio(targets)",
        [[]]),
    row("{} must be several records, as in [0], or None for all", "definitions.cdp_ratio,"
        "ibcdp_ratio,np_ratio(targets) simulators.ddp_ratio(targets) "
        "posteriors.posterior_ratio(targets)", [], [0, {0: 1}]),
    row("the target's value [1] must be compatible with all knowledge; given () only [0, 1] are "
        "possible (known records cannot be targets: leave them out)", "definitions.apk_table(b)",
        [[1]]),
    row("{} must be several hashable values", "definitions.dp_ratio(records) "
        "enumeration.partitions(databases) enumeration.small_worlds(records)", [], [3, [[0]]]),
    row("the mechanism's output must not be a function", "definitions.np_ratio(mechanism)",
        [mechanisms.make_count]),
    row("the target's value [0] must be compatible with all knowledge; given () only [0, 1] are "
        "possible (known records cannot be targets: leave them out)",
        "definitions.privacy_loss(a)", [[0]]),
    row("{} must be among ((),)", "definitions.privacy_loss(knowledge)", [[0]]),
    row("{} must be a mapping to outputs", "enumeration.make_table(outputs)", [], [None]),
    row("{} must be several hashable values", "enumeration.make_table(outputs)", [], [{(0,): [1]}]),
    row("{} must be different", "enumeration.partitions(databases)", [[(0,), (0,)]]),
    row("{} must be several tuples of records", "enumeration.partitions,"
        "random_mechanism(databases)", [], ["abc", [0, 1], "ab"]),
    row("the number of cells of a world must be at most 2000000, to list them all",
        "enumeration.random_acceptable_world,random_world,small_worlds", knowledge=2, n=20),
    row("{} must be an integer in 1…100", "enumeration.random_acceptable_world,random_world,"
        "small_worlds(n)", [0], [1.5]),
    row("a record of the database must be an int or a Fraction", "mechanisms.arithmetic_mean,"
        "geometric_mean,harmonic_mean,quadratic_mean(database)", [], [(1, 1.5), (1, "1"), (1,
        True), (1, 0.5)]),
    row("{} must be a tuple of records", "mechanisms.arithmetic_mean,geometric_mean,harmonic_mean,"
        "identity,majority,parity,total(database)", [], [3, [1, 0], {1: 0}, None, "01", "aab"]),
    row("{} must have at least one record", "mechanisms.arithmetic_mean,geometric_mean,"
        "harmonic_mean,majority,quadratic_mean(database)", [()]),
    row("{} must have positive records for this mean", "mechanisms.geometric_mean,"
        "harmonic_mean(database)", [(1, 0), (1, F(-1, 2))]),
    row("{} must have records that equal themselves", "mechanisms.identity,majority(database)",
        [(nan,), (1, nan, 0)]),
    row("a weight must be an int or a Fraction", "mechanisms.make_weighted_sum(weights)", [], [[1,
        0.5], [1, "1"], [1, True]]),
    row("{} must be several ints or fractions", "mechanisms.make_weighted_sum(weights)", [], [3]),
    row("{} must be pairs of a weight and a mechanism", "mechanisms.mix(parts)", [], [[3], [(1,)]]),
    row("{} must be several pairs of a weight and a mechanism", "mechanisms.mix(parts)", [], [3]),
    row("{}: probabilities must sum to 1", "mechanisms.mix(parts)", [[(HALF, mechanisms.total),
        (F(1, 3), mechanisms.total)]]),
    row("{}: the probability of 0 must be an int or a Fraction", "mechanisms.mix(parts)", [],
        [[(0.5, mechanisms.total), (0.5, mechanisms.parity)]]),
    row("{}: the probability of 1 must be ≥ 0", "mechanisms.mix(parts)", [[(2, mechanisms.total),
        (-1, mechanisms.total)]]),
    row("{} must have records with a sum", "mechanisms.parity,total(database)", [(nan,)]),
    row("{} must be a function of an output", "mechanisms.post_process(function)", [], [None]),
    row("{} must be several pairs of secrets", "posteriors.pufferfish_ratio(pairs)", [], [None]),
    row("{} must be a function of the parameters", "normalization.Normalization(generate)", [],
        [None, {0: HALF, 1: HALF}], parameters=[{0: HALF, 1: HALF}]),
    row("databases must have equally many records, at least one", "worlds.World", masses={((),
        0): 1}, records=None),
    row("databases must have equally many records, at least one", "worlds.World", masses={((0,),
        0): HALF, ((0, 1), 0): HALF}, records=None),
    row("{} must be a mapping to probabilities", "worlds.World(masses)", [],
        [[((0,), 0)]], records=None),
    row("{} must be among ()", "worlds.World(records)", [[]], masses={((1,), 0): 1}),
    row("{} must be among (0,)", "worlds.World(records)", [[0]], masses={((1,), 0): 1}),
    row("{} must be several hashable values", "worlds.World(records)", [], [3, [[0]]],
        masses={((0,), 0): 1}),
    row("{} must have keys (database, knowledge), with a tuple first", "worlds.World(masses)", [],
        [{0: 1}, {(0,): 1}, {((0,), 0, 0): 1}], records=None),
    row("{}: probabilities must sum to 1", "worlds.World(masses)", [{((0,), 0): HALF}, {}, {((0,),
        0): 0}], records=None),
    row("{}: the probability of ((0,), 0) must be an int or a Fraction", "worlds.World(masses)",
        [], [{((0,), 0): 1.0}, {((0,), 0): True}], records=None),
    row("{}: the probability of ((1,), 0) must be ≥ 0", "worlds.World(masses)", [{((0,), 0): F(3,
        2), ((1,), 0): F(-1, 2)}], records=None),
    row("the number of databases must be at most 2000000, to list them all",
        "worlds.bits(probabilities)", [[HALF] * 25, [HALF] * 2000]),
    row("{} must be an integer in 0…0", "worlds.bits(knowledge)", [[2], [-1]], [[0.0], ["0"]]),
    row("{} must be several integers in 0…0", "worlds.bits,hidden_parameter(knowledge)", [], [0]),
    row("{} must be several probabilities", "worlds.bits,correlated_pairs(probabilities)", [], [3]),
    row("the number of databases must be at most 2000000, to list them all", "worlds.copied",
        groups=1000, law={0: HALF, 1: HALF}),
    row("the number of databases must be at most 2000000, to list them all", "worlds.copied",
        groups=30, law={0: HALF, 1: HALF}),
    row("{}: the probability of 0 must be an int or a Fraction", "worlds.copied(law) "
        "worlds.hidden_parameter(parameter)", [], [{0: 0.5, 1: HALF},
        {0: True, 1: HALF}]),
    row("{}: the probability of 1 must be ≥ 0", "worlds.copied(law) "
        "worlds.hidden_parameter(parameter)", [{0: 2, 1: -1}]),
    row("the number of databases must be at most 2000000, to list them all",
        "worlds.correlated_pairs", agree=HALF, probabilities=[HALF] * 12),
    row("{} must be a function of the parameter", "worlds.hidden_parameter(record_law)", [], [None,
        {0: HALF, 1: HALF}]),
    row("{} must be several", "worlds.in_order(values)", [], [3, None]),
    row("law 1 must be a mapping to probabilities", "worlds.independent(laws)", [], [[{0: HALF,
        1: HALF}, 1]]),
    row("law 1: probabilities must sum to 1", "worlds.independent(laws)", [[{0: HALF, 1: HALF},
        {0: HALF}]]),
    row("law 1: the probability of 0 must be an int or a Fraction", "worlds.independent(laws)", [],
        [[{0: HALF, 1: HALF}, {0: 0.5, 1: HALF}]]),
    row("law 1: the probability of 1 must be ≥ 0", "worlds.independent(laws)", [[{0: HALF,
        1: HALF}, {0: 2, 1: -1}]]),
    row("records must equal themselves", "worlds.independent(laws)", [[{nan: HALF, 0: HALF}]]),
    row("the number of databases must be at most 2000000, to list them all",
        "worlds.independent(laws)", [[{0: HALF, 1: HALF}] * 21]),
    row("{} must be several laws, one a record", "worlds.independent(laws)", [], [3]),
    row("{} must be 2, one a world", "worlds.mixed(weights)", [[1]]),
    row("{} must be several probabilities, one a world", "worlds.mixed(weights)", [], [1, {0: 1}]),
    row("{}: probabilities must sum to 1", "worlds.mixed(weights)", [[1, HALF]]),
    row("{}: the probability of 0 must be ≥ 0", "worlds.mixed(weights)", [[-1, 2]]),
    # What has no name of its own, or needs more than one argument
    row("{} must be on one number of bits", "couplings.largest(matches)",
        [[Match((0,), (0, 1), 1.0)]]),
    row("matches: the weight of (0,) must be a number in [0, 1]", "couplings.columnwise(matches)",
        [[Match((0,), (0,), 2.0)]]),
    row("bit must be an integer in 0…1", [MOVE.reply_law], [2]),
    row("ratio must be a Fraction in [1, inf), or math.inf", [MOVE.delta], [HALF]),
    row("delta must be in [0, 1]", [MOVE.is_private], [2], ratio=2),
    row("the number of views must be at most 100000, to list them all",
        "experiments.view_law(adversary)", [lambda _: BROAD], bits=(0,)),
    row("parts: probabilities must sum to 1", [RandomizedAdversary], [[(HALF, len)] * 3]),
    row("parts must be several pairs of a weight and a strategy", [RandomizedAdversary], [],
        [{1: len}]),
    row("parts must be pairs of a weight and a strategy", [RandomizedAdversary], [], [[(1, 2)]]),
    row("deltas must let leaks combine in at most 1048576 ways", "hypothesis_worlds.parity",
        epsilons=np.linspace(0.1, 1.0, 21), deltas=0.5),
    row("epsilons and deltas must make at most 4194304 different replies", "hypotheses.pair",
        prior=hypotheses.uniform(12), other=hypotheses.point([0] * 12), epsilons=[1] * 12,
        deltas=0.1),
    row("law must have 2…1001 masses", "hypotheses.exchangeable(law)", [[1.0, *[0.0] * 1001]]),
    row("delta must be one for which 16777216 outcomes of 1000 replies hold all that matters",
        [hypotheses.exchangeable([0.5, *[0.0] * 999, 0.5], [1.0, *[0.0] * 1000], 1.0, 0.1)
         .log_masses], [-inf]),
    row("what theorem returns must be exact or an upper bound", "memberships.at_most(theorem)",
        [lambda e, d: LOWER], m=1, epsilons=[0.1]),
    row("what theorem returns must be a PrivacyProfile", "memberships.at_most(theorem)", [],
        [lambda e, d: 0.3], m=1, epsilons=[0.1]),
    row("{} must be exact or an upper bound", "memberships.soft(inside,beyond) "
        "accounting.simple(profile) post_processing.chained(first) trade_off.advantage(profile) "
        "trade_off_curves.in_words(profile) privacy_loss.of_profile(profile)", [LOWER, PRINTED]),
    row("{} must have a relative error", "trade_off.advantage(profile) "
        "trade_off_curves.in_words(profile)", [ROUGH]),
    row("channels must be exact or an upper bound",
        [lambda x: post_processing.chained(PROFILE, x)], [LOWER, PRINTED]),
    row("channels must have a relative error",
        [lambda x: post_processing.chained(PROFILE, x)], [ROUGH]),
    row("epsilons must be 1…1000 numbers in a row", [databases_published.theorem_3], [[], [[1.0]]]),
    row("deltas must be one number or 1 in a row", [databases_published.theorem_3], [[0.1, 0.1]],
        epsilons=[1.0]),
    row("exchanged must be a bool", [sampling.Sampled], [], [np.zeros(2)], pair=PAIR, rate=0.5),
    row("n must be an integer in 2…10000000000", [getattr(Adversary(0.5, 2), name)
        for name in ("known_records", "groups_left", "others_left")], [1], [2.0]),
    row("{} must be None where conditional is true", "adversaries.worst_case(noise)",
        [noise.Geometric(0.5)], conditional=True),
    row("base must be of counts, or of laws with at most 16384 outcomes",
        [lambda base: gaussian_noise.add(Pair(base.shift(1), base), 1).profile().delta(0)],
        [Finite.from_dict({0: 0.5, 10**5: 0.5})]),
    row("scale must be one for which 2097152 points cover the laws",
        [lambda base: gaussian_noise.add(Pair(base.shift(1), base), 1e5).profile().delta(0)],
        [Finite(0, (1.0, 1e-300))]),
    row("known must leave at most 2000 laws to the sum of the others", "known_values.known_delta",
        target=(0, 0), known=[(i + 1, 0) for i in range(12)], ratio=2,
        groups=[{(0,): HALF, (1,): HALF}, *(
            {(0, 0): HALF - F(1, k), (0, 1): F(1, k), (1, 1): HALF} for k in range(3, 15))]),
    row("blocks must have a sum whose likely values are at most 16777216 steps of 1",
        [lambda blocks: sums.law(blocks).log_pmf(0, 1)],
        [[({0: 0.5, 1: 0.25, 1000: 0.25}, 10**9)]]),
    row("blocks must have a sum whose masses differ less from their neighbours'",
        [lambda blocks: sums.law(blocks).log_pmf(10**8, 10**8)],
        [[({0: 0.5, 2: 0.5}, 10**8), ({0: 1.0 - 1e-12, 1: 1e-12}, 2)]]),
    row("knowledge must be among ((0,), (1,))", "composition.dependency(knowledge)", [(), (2,)],
        world=SEEN),
    row("the target's value 0 must be compatible with all knowledge; given (1,) only [1] are",
        "composition.dependency", world=SEEN, target=1, a=0, b=1, knowledge=(1,)),
    row("eps must be in [0, inf]", [one.log_hockey_stick
        for one in (PAIR, CENSORED, *NOISY)], [-0.1, nan, -inf]),
    row("eps must be in [0, inf]", [CENSORED.log_hockey_stick], [], ["one"]),
    row("laws: the days must be 100", "daily_counts.questions", laws=[{(0,): HALF, (1,): HALF}] * 3,
        a=(0,) * 100, b=(1,) * 100),
    row("a and b must be answers to fewer than 100 questions", "daily_counts.questions", laws=[],
        a=(0,) * 100, b=(1,) * 100),
    row("correlation must be in (-0.333333, 1) for this p",
        [daily_profiles.MarkovChain.stationary], [-0.5], p=0.25),
    row("days must be an integer in 1…4000", [CHAIN.marginals], [0]),
    row("n - 1 - known must be small enough for 50000000 probabilities of transitions",
        "daily_profiles.moment_bound", n=10**5, a=(0, 1) * 99, b=(1, 0) * 99,
        chain=daily_profiles.MarkovChain(0.9, 0.01, 0.99)),
    row("{} must be of finite laws, or of a law and its shift by 1", "noise.add(pair)",
        [Pair(LAW.shift(2), LAW)]),
    row("{} must be of finite laws, or of a law and its shift by 1", "noise.add(pair)",
        [Pair(LAW.shift(2), LAW)], noise=noise.Laplace(0.5)),
    row("a profile must have an enclosure to be certified", [one.certified for one in (
        PRINTED, ROUGH, thresholding.theorem_4(1000, 0.01, threshold=40))]),
    row("{} must have at most 60000 different values", "accounting.heterogeneous(epsilons)",
        [np.linspace(0.001, 0.01, 100_001)]),
    row("{} must be at most 500000 for 10000 releases", "accounting.heterogeneous(cells)",
        [10**6], epsilons=np.linspace(0.001, 0.01, 10**4)),
    row("{} must have an outcome that both laws can have", "exchange.to_pld(pair)",
        [Pair(Finite(0, (1.0,)), Finite(1, (1.0,)))]),
    row("masses must sum to 1", [Finite.from_dict], [{0: 0.5, 1: 0.25}]),
    row("masses must be in [0, 1]", [Finite.from_dict], [{0: 1.5, 1: -0.5}, {0: nan}, {0: inf}]),
    row("masses must name at least one outcome", [Finite.from_dict], [{}]),
    row("masses must be a mapping to masses, from integers", [Finite.from_dict], [], [[1]]),
    row("masses: each outcome must be an integer in -10000000000…10000000000", [Finite.from_dict],
        [], [{0.5: 1.0}]),
    row("the number of outcomes, from the first to the last must be at most 2000000",
        [Finite.from_dict], [{0: 0.5, 10**9: 0.5}]),
    row("number of times must be an integer in 1…1000000", "privacy_loss.compose(parts)",
        [[(LOSSES, 0)]]),
    row("{} must have one step", "privacy_loss.compose(parts)",
        [[(LOSSES, 1), (privacy_loss.of_pair(PAIR, 0.2), 1)]]),
    row("Q must be a Law", [Pair], [], [[0.5, 0.5], *but("law")], P=LAW),
    row("P must be a Law", [Pair], [], but("law"), Q=LAW),
    row("eps must be in [0, inf], got -0.125", [PROFILE.delta, PROFILE.log_delta], [-0.125]),
    row("eps must be in [0, inf], got nan", [PROFILE.delta, PROFILE.log_delta], [nan]),
    row("eps must be numbers in [0, inf]", [PROFILE.delta], [], [HUGE, 10**5000]),
    row("delta must be in [0, 1]", [PROFILE.epsilon], [1.5, nan], ["half"]),
    row("log_delta must be in [-inf, 0]", [PROFILE.epsilon], [1e-9, nan, inf]),
    row("log_delta must be in [-inf, 0], as a float can hold it", [PROFILE.epsilon], [-HUGE]),
    row("give exactly one of delta (in [0, 1]) and log_delta", [PROFILE.epsilon], error=TypeError),
    row("give exactly one of delta (in [0, 1]) and log_delta", [PROFILE.epsilon],
        error=TypeError, delta=0.5, log_delta=-1.0),
    row("{} must be at most 3000000000 divided by the number of different probabilities",
        "attack.on_count(rounds)", [10**7], probabilities=np.linspace(0, 1, 1000)),
    row("{} must be None where noise is added", "attack.on_count(threshold) "
        "audit.of_file(threshold)", [1], noise=noise.Geometric(0.5)),
    row("{} must be a Geometric", "audit.of_file(noise)", [], [noise.Laplace(1)]),
    # Thresholds
    row("{} must be an integer in 2…10000000",
        "thresholding.passive,passive_worst_case,active,active_worst_case,theorem_4,"
        "theorem_4_terms,worst_case,worst_numbers(n)", [1, 10**11], [10.0, True, "ten"],
        threshold=4),
    row("{} must be in [0, 1]",
        "thresholding.passive,passive_worst_case,active,active_worst_case,theorem_4,"
        "theorem_4_terms,worst_case,worst_numbers(p)", [-0.1, 1.1, nan, inf],
        ["half", None, [0.1]], n=10, threshold=4),
    row("{} must be an integer in 0…10",
        "thresholding.passive,passive_worst_case,active,active_worst_case,theorem_4,"
        "theorem_4_terms,worst_case,worst_numbers(threshold)", [-1, 11], [3.0, None], n=10, p=0.01),
    row("{} must be an integer in 0…9",
        "thresholding.passive,passive_worst_case,active,active_worst_case,theorem_4_terms(known)",
        [-1, 10], [1.0, False], n=10, p=0.01, threshold=4),
    # Objects of the wrong kind
    row("{} must be a pair whose outcomes can be listed", "accounting.renyi(pair) "
        "accounting.renyi_divergence(pair) exchange.to_pld(pair) privacy_loss.of_pair(pair)",
        [], [*but("pair"), NOISY[1]]),
    row("{} must be a Pair of laws of integers", "noise.add(pair)", [], [[0.5], *but("pair")]),
    row("{} must be Geometric(p) or Laplace(scale)", "noise.add(noise) noise.blanket(noise) "
        "noise.worst_case(noise) noise.worst_vertex(noise)", [], but()),
    row("{} must be a PrivacyProfile", "accounting.simple(profile) "
        "privacy_loss.composed_bound,of_profile(profile)", [], but("profile")),
    row("channels must be a PrivacyProfile", [lambda x: post_processing.chained(PROFILE, x)], [],
        but("profile")),
    row("{} must be a MarkovChain", "daily_profiles.bracket(chain) "
        "daily_profiles.gaussian_limit(chain) daily_profiles.moment_bound(chain)", [],
        but("chain")),
    row("{} must be several functions of a database", "composition.product_delta(mechanisms)", [],
        but()),
    row("{} must be several laws of series", "daily_counts.count_dependency(laws) "
        "daily_counts.questions(laws)", [], but()),
    row("{} must be several mappings", "daily_counts.daily_law(transitions)", [], but(), days=2),
    row("{} must be several targets", "composition.product_delta(targets)", [], but()[2:]),
    row("{} must be several pairs of values", "kanonymity.worst_delta(pairs)", [], but()[2:]),
    row("{} must be several integers", "privacy_loss.bracket(times)", [], but()[1:]),
    row("{} must be several numbers", "post_processing.of_guarantees(epsilons,deltas) "
        "post_processing.pure(epsilons)", [], but()),
    row("{} must be several pairs", "privacy_loss.bracket(pairs)", [], but()),
    row("{} must be a pair whose outcomes can be listed", "privacy_loss.bracket(pairs)", [],
        [[one] for one in but("pair")]),
    row("{} must be several losses and how often each", "privacy_loss.compose(parts)", [], but()),
    row("{} must be Losses and how often each", "privacy_loss.compose(parts)", [],
        [[one] for one in but()] + [[(one, 2)] for one in but("losses")]),
    # Worlds and mechanisms
    row("event must be a function of a database and the knowledge", [TWO.probability, TWO.given],
        [], [None, "x", 3, [TWO]]),
    row("predicate must be a function of a record", [lambda x: mechanisms.make_count(x)((0,))],
        [], [None, "yes", 2]),
    row("{} must be a function of a database", "mechanisms.post_process(mechanism) "
        "definitions.np_ratio(mechanism) simulators.ddp_ratio(mechanism)", [], [None, TWO]),
    row("mechanism must be a function of a database",
        [lambda x: mechanisms.compose(sum, x)((0,))], [], [None, "sum"]),
    row("parameters must be several laws", [lambda x: Normalization(x, lambda v: (v,))], [], [3]),
    row("parameters must be at least one law", [lambda x: Normalization(x, lambda: (0,))], [[]]),
    row("kernel must be a mapping to laws", [lambda x: Simulator(x, 1, Enclosure(1, 1))], [],
        [None, []]),
    row("outputs must be a mapping to outputs", [lambda x: Reduction(x, None)], [], [None, [1]]),
    row("database must be a tuple of records",
        [mechanisms.make_count(), mechanisms.make_randomized_response(HALF)], [],
        [3, "abc", [0]]),
    row("records must be among (0, 1)", [mechanisms.make_randomized_response(HALF)], [(0, 2)]),
    row("database must have 2 records", [mechanisms.make_weighted_sum([1, 1])], [(1,), ()]),
    row("a record of the database must be an int or a Fraction",
        [mechanisms.make_weighted_sum([1, 1])], [], [(1, 0.5), (1, "1"), (1, True), (1, None)]),
    row("target and knowledge must be among [(0, ()), (1, ())]",
        [definitions.is_reducible(TWO, mechanisms.total).bijection], target=0, first=[0],
        second=()),
    row("{} must be one World", "definitions.is_reducible(world)", [], [[THREE]]),
    *(row("target and knowledge must be among [(0, (0,)), (0, (1,))]",
        [definitions.is_reducible(THREE, mechanisms.total, [0]).bijection], target=target,
        first=first, second=second)
      for target, first, second in ((1, (0,), (1,)), (0, (0,), (2,)), (0, (5,), (0,)))),
    row("target must be an integer in 0…1", [SEEN.law_of, SEEN.is_acceptable, DRAWN.problems],
        [2, -1], [0.0, "0", True, None]),
    row("knowledge must be an integer in 0…1", [SEEN.knowing, DRAWN.world,
        lambda knowledge: DRAWN.problems(0, knowledge)], [[2], [-1]],
        [[0.0], ["0"], [True], [None]]),
    row("knowledge must be several integers in 0…1", [SEEN.knowing, DRAWN.world,
        lambda knowledge: DRAWN.problems(0, knowledge)], [], [0]),
    row("databases must have equally many records, at least one", "worlds.mixed",
        worlds=[worlds.bits([HALF]), TWO], weights=[HALF, HALF]),
    row("record_law(1): probabilities must sum to 1", "worlds.hidden_parameter(record_law)",
        [lambda value: {0: HALF}], parameter={1: 1}),
]
# fmt: on
CASES = [case for one in ROWS for case in one]


@functools.cache
def answered(name):
    """Return the simplest arguments with which a function answers."""
    function = FUNCTIONS[name]

    def answers(call):
        try:
            function(*call[0], **call[1])
        except (ValueError, TypeError):
            return False
        return True

    options = settings(
        phases=[Phase.generate, Phase.shrink], derandomize=True, database=None, max_examples=500
    )
    positional, named = find(calls(name, odd=False), answers, settings=options)
    return inspect.signature(function).bind(*positional, **named).arguments


def answer(function, arguments):
    """Call what has this name, or is this, with the arguments of a case and the others it needs."""
    if isinstance(function, str):
        others = answered(function) if function in FUNCTIONS else {}
        arguments = {**others, **arguments}
        function = FUNCTIONS.get(function) or named(function)
    bound = inspect.signature(function).bind_partial()
    bound.arguments.update(arguments)
    return function(*bound.args, **bound.kwargs)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "says"),
    CASES,
    ids=[str(getattr(case[0], "__name__", case[0])) for case in CASES],
)
def test_a_bad_argument_is_refused_by_name(function, arguments, error, says):
    with pytest.raises(error) as caught:
        answer(function, arguments)
    message = str(caught.value)
    assert message.startswith(says)
    argument, came = says.partition(" must be ")[0], message.partition(", got ")[2]
    if came and isinstance(arguments.get(argument), int | float):
        assert came.startswith((shown(arguments[argument]), "shape", "a "))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number_is_checked(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    given = {key: one.default for key, one in parameters.items()} | answered(name)
    for argument, value in given.items():
        if isinstance(value, numbers.Number | np.number) and argument not in ANYTHING:
            for wrong in ("1", 1j, nan):
                with pytest.raises((ValueError, TypeError), match=rf"^{argument}\b.* must "):
                    answer(name, {argument: wrong})
