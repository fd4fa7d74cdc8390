/* The explorable figures: what can be moved, and what follows from it. `answer` takes the settings and gives
   numbers, what they say in a sentence, and curves; the tests hold its numbers against pkdp. */
"use strict";
window.pkdpModels = (() => {
  const {logUpper, logExcess, logCount, logWorstCount, logNormal, logHockeyStick, convolve, noisyCount,
    leastEps} = window.pkdpLaws;

  // Settings, and numbers that follow from them: three digits, rounded up for "at most" and down for "at least".
  const whole = x => x.toLocaleString("en-US");
  const digits = x => x.toLocaleString("en-US", {maximumSignificantDigits: 3});
  const hundredths = x => x.toFixed(2).replace("-", "−");
  const percents = x => `${Math.round(100 * x)} %`; // of round numbers
  const several = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
  const found = eps => eps === Infinity ? "no ε has this δ" : `ε = ${above(eps)}`;
  const UP = x => Math.ceil(x - 1e-9), DOWN = x => Math.floor(x + 1e-9);
  function rounded(x, way) {
    if (x === 0 || x === Infinity) return x ? "∞" : "0";
    const power = Math.floor(Math.log10(x)) - 2, tens = 10 ** Math.abs(power);
    const value = power < 0 ? way(x * tens) / tens : way(x / tens) * tens;
    return value.toLocaleString("en-US", {minimumSignificantDigits: 3, maximumSignificantDigits: 3});
  }
  const above = x => rounded(x, UP), below = x => rounded(x, DOWN), about = x => rounded(x, Math.round);
  const RAISED = {"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};
  const power = x => x ? `10${[...String(x)].map(c => RAISED[c]).join("")}` : "1";
  function small(log, way) { // from a logarithm: two digits and a power of ten, if it is small
    const ten = log / Math.LN10;
    if (ten === -Infinity || ten > -3) return rounded(Math.exp(log), way);
    const scaled = way(10 ** (ten - Math.floor(ten) + 1)), carry = scaled === 100;
    return `${(scaled / (carry ? 100 : 10)).toFixed(1)} · ${power(Math.floor(ten) + carry)}`;
  }

  // δ as a power of ten, and its logarithm.
  const DELTA = {name: "d", label: "δ, the excess you allow (not the chance that ε is exceeded)", least: 2, most: 30, start: 9,
    show: d => power(-d)};
  const logOf = d => -d * Math.LN10;

  const range = (from, to, count) => Array.from({length: count}, (_, k) => from + (to - from) * k / (count - 1));
  // A falling profile from ε = 0 to well behind the ε that was asked for, or to a cut where it falls to 0.
  function profile(label, role, logProfile, most, cut = Infinity) {
    const at = range(0, most, 61).filter(x => x < cut);
    if (cut < most) for (let k = 1; k < 13; k++) at.push(cut * (1 - 10 ** -k));
    return {label, role, points: at.sort((a, b) => a - b).map(x => [x, logProfile(x)])};
  }
  // The dot at the ε of δ: on the curve at ε = 0 if that curve is lower. The axis ends behind it, or follows the curve.
  const dot = (eps, law, d) => [eps, Math.min(logOf(d), law(0))];
  function behind([eps, height], law) {
    const end = eps > 0 ? 1.6 * eps : leastEps(law, 1.5 * height);
    return end < Infinity ? end : 2;
  }
  // What the axes are, and how their ticks are written, if not as they are; ten's powers on a logarithmic one.
  const AXES = {x: "ε", y: "δ", logarithmic: true, up: power};

  const PEOPLE = {name: "n", label: "records, yours included", least: 10, most: 1e7, scale: "log", whole: true,
    start: 2e6, show: whole};
  const UNSURE = {name: "lam", label: "λ, the least probability she gives either value", least: 0.01,
    most: 0.5, scale: "log", start: 0.05, show: digits};

  const models = {};

  models.count = {
    title: "An exact count",
    axes: AXES,
    inputs: [PEOPLE,
      {name: "share", label: "share of the others that the attacker knows", least: 0, most: 99.9, step: 0.1,
        start: 95, show: x => `${x.toFixed(1)} %`}, UNSURE, DELTA],
    answer({n, share, lam, d}) {
      const known = Math.floor((n - 1) * share / 100), unknown = n - 1 - known;
      const exact = eps => logWorstCount(unknown, lam, eps);
      // Both of its rates, the larger one; constant above ε = 1, so that a smaller δ has no ε.
      const rate = Math.max(0.2100223944862691, 0.2642411176571153 * (1 - lam)) * lam * unknown;
      const closedEps = Math.sqrt(-logOf(d) / rate);
      const closed = closedEps <= 1 ? closedEps : Infinity;
      const bottom = unknown * Math.log1p(-lam); // no ε has a smaller δ
      let eps = logOf(d) < bottom ? Infinity
        : leastEps(exact, logOf(d), Math.log(unknown) + Math.log1p(-lam) - Math.log(lam) + 1);
      if (eps > 0 && eps < Infinity) { // the last digits: all turns that matter, and one step of Newton's
        const near = eps * 1e-6, slope = (exact(eps + near) - exact(eps - near)) / (2 * near);
        eps += (logOf(d) - logWorstCount(unknown, lam, eps, 1000)) / slope;
      }
      const mark = dot(eps, exact, d), most = behind(mark, exact);
      const change = eps ? `ε = ${above(eps)}: every event is at most ${above(Math.exp(eps))} times as likely with one value `
        + "of your record as with the other, plus δ."
        : "ε = 0: the probability of an event differs by at most δ between both values of your record.";
      return {
        numbers: {eps, closed, bottom},
        mark,
        most,
        curves: [profile("exact worst case", "exact", exact, most),
          profile("closed form, an upper bound", "bound", x => -rate * Math.min(x, 1) ** 2, most)],
        plain: eps === Infinity
          ? `No ε has this δ with only ${several(unknown, "unknown record")}.`
          : `${change} This is the worst case over all probabilities from λ to 1 − λ of the `
            + `${several(unknown, "independent record")} that the attacker does not know.`,
        words: eps === Infinity
          ? `No ε has this δ: with ${several(unknown, "unknown record")}, δ is always at least ${small(bottom, DOWN)}.`
          : `The attacker does not know ${several(unknown, "independent record")}. In the worst case over all `
            + `probabilities from λ to 1 − λ, ε = ${above(eps)}; the closed form gives `
            + `${closed === Infinity ? "no ε for this δ" : above(closed)}.`,
      };
    },
  };

  models.threshold = {
    title: "A count behind a threshold",
    axes: AXES,
    inputs: [{...PEOPLE, least: 1200, start: 50000},
      {name: "p", label: "p: each of the others is a 1 with at most this probability", least: 1e-5, most: 0.5,
        scale: "log", start: 0.001, show: digits},
      {name: "T", label: "T, the largest count that is hidden", least: 1, most: 1000, scale: "log", whole: true, start: 60,
        show: whole},
      {name: "known", label: "ones that the attacker knows or sets", least: 0, most: 200, start: 0,
        show: whole}, {...DELTA, most: 20}],
    answer({n, p, T, known, d}) {
      const others = Math.max(n - 1 - known, 0), left = Math.max(T - known, 0);
      // Where each of the m records that count is at p and the others at 0; m as in pkdp's _censored.
      const worst = eps => {
        const at = e => left >= others || left === 0 ? Math.min(others, left)
          : Math.min(others, left + Math.floor(Math.min(left * Math.exp(e) * (1 - p) / p, others)));
        const back = at(eps);
        return Math.min(0, Math.max(logExcess(at(-eps), p, 1 - p, eps, left),
          logExcess(back, 1 - p, p, eps, 0, back - left)));
      };
      const zero = worst(0), eps = leastEps(worst, logOf(d)), mark = dot(eps, worst, d), most = behind(mark, worst);
      const passive = logUpper(T, n - 1, p, 1 - p);
      return {
        numbers: {eps, zero, passive},
        mark,
        most,
        curves: [profile("exact worst case", "exact", worst, most),
          {label: "upper bound if the attacker sets no record, on average", role: "bound",
            points: [[0, passive], [most, passive]]}],
        words: `The records are independent, and at most ${above(p * (n - 1))} others are expected to be a 1. In the `
          + `worst case, ${found(eps)}; at ε = 0, the least possible δ is ${small(zero, UP)}. If the attacker sets no `
          + `record, δ = ${small(passive, UP)} is enough at ε = 0, averaged over what she knows, even if that is all others.`,
      };
    },
  };

  models.posterior = {
    title: "What an attacker comes to believe",
    axes: {x: "belief before", y: "belief after", most: 1, across: percents,
      up: percents},
    inputs: [{name: "prior", label: "belief before", least: 0, most: 100, start: 50,
      show: x => `${x} %`}, {name: "eps", label: "ε", least: 0, most: 7, step: 0.05, start: 1.1, show: hundredths}],
    answer({prior, eps}) {
      const E = Math.exp(eps), p = prior / 100;
      const lower = x => x / (E + (1 - E) * x), upper = x => E * x / (1 + (E - 1) * x);
      const priors = range(0, 1, 101);
      const curve = (label, role, f) => ({label, role, points: priors.map(x => [x, f(x)])});
      return {
        numbers: {lower: lower(p), upper: upper(p)},
        mark: [p, upper(p)], also: [p, lower(p)],
        most: 1,
        curves: [curve("at most", "exact", upper), curve("at least", "exact", lower),
          curve("nothing learned", "printed", x => x)],
        words: `The attacker believed it at ${prior} %. Whatever she sees, her belief is then at least `
          + `${below(100 * lower(p))} % and at most ${above(100 * upper(p))} %, if she knew the others or they are `
          + `independent of you.`,
      };
    },
  };

  models.response = {
    title: "Randomized response",
    axes: {x: "how often the truth is told", y: "ε", across: percents},
    inputs: [{name: "truth", label: "how often the truth is told", least: 0, most: 99, start: 50,
      show: x => `${x} %`}, {name: "n", label: "people asked", least: 10, most: 1e6, scale: "log", whole: true, start: 1000,
      show: whole}, {name: "share", label: "share whose true answer is Yes", least: 0, most: 100, start: 30,
      show: x => `${x} %`}],
    answer({truth, n, share}) {
      const t = truth / 100, s = share / 100, loss = x => Math.log((1 + x) / (1 - x));
      const yes = t * s + (1 - t) / 2; // how often a Yes is said
      const deviation = t ? Math.sqrt(yes * (1 - yes) / n) / t : Infinity;
      const believed = s * (1 + t) / 2 / yes;
      return {
        numbers: {eps: loss(t), deviation, believed},
        mark: [t, loss(t)],
        most: 1,
        curves: [{label: "ε = ln((1 + t)/(1 − t)), t the truth", role: "exact",
          points: range(0, 0.995, 100).map(x => [x, loss(x)])}],
        words: `ε = ${above(loss(t))}. ${t ? "The estimated share of Yes has a standard error of "
          + `${about(100 * deviation)} percentage points` : "The answers say nothing about the share of Yes"}; about `
          + `${about(100 * believed)} % of those who say Yes mean it.`,
      };
    },
  };

  models.noise = {
    title: "Geometric noise and uncertainty",
    axes: AXES,
    inputs: [{name: "unknown", label: "independent records the attacker does not know", least: 10, most: 1e5, scale: "log", whole: true,
      start: 5000, show: whole}, {name: "p", label: "how likely each of them is to be a 1", least: 0.01, most: 0.5,
      scale: "log", start: 0.05, show: digits},
      {name: "g", label: "parameter of the geometric noise", least: 0.05, most: 0.98, step: 0.01, start: 0.8,
        show: hundredths}, {...DELTA, most: 20}],
    answer({unknown, p, g, d}) {
      const count = eps => logCount(unknown, p, eps), both = noisyCount(unknown, p, g);
      const noise = eps => Math.exp(eps) * g >= 1 ? -Infinity : Math.log((1 - Math.exp(eps) * g) / (1 + g));
      const [eps, alone, noisy] = [both, count, noise].map(law => leastEps(law, logOf(d)));
      const most = behind([Math.max(...[eps, alone, noisy].filter(Number.isFinite))]); // the noise alone needs an ε
      return {
        numbers: {eps, alone, noisy},
        mark: dot(eps, both, d),
        most,
        curves: [profile("both", "exact", both, most, -Math.log(g)),
          profile("uncertainty alone", "bound", count, most),
          profile("noise alone", "printed", noise, most, -Math.log(g))],
        words: `Both together give ε = ${above(eps)}, the noise alone ${above(noisy)} if only your record changes, and `
          + `${alone === Infinity ? "no ε has this δ with the uncertainty alone" : `the uncertainty alone ${above(alone)}`}.`,
      };
    },
  };

  models.correlation = {
    title: "Three definitions, two correlated bits",
    axes: {x: "correlation of the two bits", y: "ε"},
    inputs: [{name: "c", label: "correlation of the two bits", least: 0, most: 1, step: 0.01, start: 0.5,
      show: hundredths}, {name: "t", label: "how often the truth is told", least: 1, most: 99, start: 50,
      show: x => `${x} %`}],
    answer({c, t}) {
      const q = (1 + t / 100) / 2, told = Math.log(q / (1 - q));
      const agree = x => (1 + x) / 2, second = a => a * q + (1 - a) * (1 - q);
      const noiseless = x => told + Math.log(second(agree(x)) / (1 - second(agree(x))));
      // The simulator sees the other bit, and by symmetry treats 0 and 1 alike. Of two answers (11, and 10)
      // it chooses how likely they are, (α, β) given the target's bit: within a factor E of what the
      // mechanism does, and such that no answer gets a negative probability, given the other bit.
      const possible = (x, E) => {
        const a = agree(x), r = (1 - a) / a, w = second(a);
        let least = 0, most = 0;
        for (const [P1, P0] of [[q * w, (1 - q) * (1 - w)], [q * (1 - w), (1 - q) * w]]) {
          // α given a 1, β given a 0, with α/β from r to 1/r.
          const low1 = Math.max(P1 / E, r * P0 / E), low0 = Math.max(P0 / E, r * P1 / E);
          const high1 = Math.min(E * P1, r > 0 ? E * P0 / r : Infinity);
          const high0 = Math.min(E * P0, r > 0 ? E * P1 / r : Infinity);
          if (low1 > high1 || low0 > high0) return false;
          least += low1 + low0;
          most += high1 + high0;
        }
        return least <= 1 && most >= 1;
      };
      const simulated = x => {
        let low = 1, high = Math.exp(noiseless(x)) * (1 + 1e-12);
        if (possible(x, 1)) return 0;
        for (let k = 0; k < 60; k++) {
          const middle = (low + high) / 2;
          if (possible(x, middle)) high = middle;
          else low = middle;
        }
        return Math.log(high);
      };
      const xs = [...range(0, 0.98, 99), 0.985, 0.99, 0.995, 0.998];
      const curve = (label, role, f) => ({label, role, points: xs.map(x => [x, f(x)])});
      return {
        numbers: {np: noiseless(c), cdp: told, ddp: simulated(c)},
        mark: [c, simulated(c)],
        most: 1,
        curves: [curve("distributional (DDP)", "bound", simulated), curve("causal (CDP)", "exact", () => told),
          curve("noiseless (NP)", "printed", noiseless)],
        words: `ε is ${above(noiseless(c))} by noiseless privacy, ${above(told)} by causal privacy and `
          + `${above(simulated(c))} by distributional privacy.`,
      };
    },
  };

  models.household = {
    title: "Households",
    axes: AXES,
    inputs: [{name: "n", label: "people, in households of one size", least: 24, most: 1500, scale: "log", whole: true,
      start: 1200, show: whole}, {name: "size", label: "people in a household", least: 1, most: 12, start: 4,
      show: whole}, {name: "rho", label: "correlation of any two in a household", least: 0, most: 0.95, step: 0.05,
      start: 0.2, show: hundredths}, {...DELTA, least: 1, most: 12, start: 6}],
    answer({n, size, rho, d}) {
      // With probability ρ all of a household answer alike, and else each as by a fair coin.
      const coins = k => {
        let law = Float64Array.of(1);
        for (let i = 0; i < k; i++) law = convolve(law, [0.5, 0.5]);
        return law;
      };
      const household = k => coins(k).map((mass, i) =>
        (1 - rho) * mass + rho * ((i === 0) / 2 + (i === k) / 2));
      const shifted = (law, by) => Float64Array.from({length: law.length + by}, (_, i) => i < by ? 0 : law[i - by]);
      const households = Math.floor(n / size), one = household(size);
      let others = Float64Array.of(1);
      for (let k = 1; k < households; k++) others = convolve(others, one);
      const padded = law => Float64Array.from({length: households * size + 2}, (_, i) => law[i] || 0);
      const all = padded(convolve(others, one));
      const without = padded(convolve(others, size > 1 ? household(size - 1) : [1]));
      const more = shifted(all, 1).slice(0, all.length);
      // What the rest of the household does if the target is 1, and if 0.
      const rest = coins(size - 1);
      const given = [0, 1].map(x => padded(shifted(convolve(others, rest.map((mass, i) =>
        (1 - (size > 1 ? rho : 0)) * mass + (size > 1 ? rho * (i === x * (size - 1)) : 0))), x)));
      const largest = pairs => eps => Math.max(...pairs.map(([P, Q]) =>
        Math.max(logHockeyStick(P, Q, eps), logHockeyStick(Q, P, eps))));
      const comes = largest([[all, without], [more, all]]), told = largest([given]);
      const [eps, conditional] = [comes, told].map(law => leastEps(law, logOf(d)));
      const mark = dot(conditional, told, d);
      const most = behind([Math.max(...[eps, conditional].filter(Number.isFinite)), mark[1]], told);
      return {
        numbers: {eps, conditional},
        mark, also: dot(eps, comes, d),
        most,
        curves: [profile("the household is told, too", "exact", told, most),
          profile("you join or leave (Definition 3)", "bound", comes, most)],
        words: `${whole(households)} households. If you join or leave (Definition 3), ${found(eps)}; if your answer `
          + `tells what your household does, ${found(conditional)}.`,
      };
    },
  };

  models.days = {
    title: "The same people, day after day",
    axes: {x: "days", y: "ε"},
    inputs: [{name: "unknown", label: "others, unknown to the attacker", least: 10, most: 1e6, scale: "log", whole: true,
      start: 1000, show: whole}, {name: "days", label: "days of counts", least: 2, most: 60, start: 30,
      show: whole}, {name: "p", label: "how likely each is to be a 1 on a day", least: 0.02, most: 0.5, step: 0.01,
      start: 0.5, show: hundredths}, {name: "rho", label: "correlation of a day with the next", least: -0.9, most: 0.9,
      step: 0.05, start: 0.35, show: hundredths}, {...DELTA, most: 12, start: 6}],
    answer({unknown, days, p, rho, d}) {
      // Chances must be chances: fair bits may be opposed from day to day, rare ones less.
      const least = -Math.min(p, 1 - p) / Math.max(p, 1 - p), r = Math.max(rho, least + 0.01);
      const scale = unknown * p * (1 - p);
      const of = signal => leastEps(eps => logNormal(Math.sqrt(signal / scale), eps), logOf(d), 1e4);
      const changing = k => of(1 + (k - 1) * (1 + r) / (1 - r));
      const constant = k => of(1 + (k - 1) * (1 - r) / (1 + r));
      const upTo = range(1, 60, 60);
      const curve = (label, role, f) => ({label, role, points: upTo.map(k => [k, f(k)])});
      return {
        numbers: {changing: changing(days), constant: constant(days), one: of(1), rho: r},
        mark: [days, changing(days)], also: [days, constant(days)],
        most: 60,
        curves: [curve("a person who keeps changing", "printed", changing),
          curve("a person who never changes", "exact", constant)],
        words: `One day costs ε ≈ ${about(of(1))}, and ${days} days ε ≈ ${about(changing(days))} for a person `
          + `who keeps changing and ε ≈ ${about(constant(days))} for a person who never changes`
          + `${r === rho ? "" : ` (at a correlation of ${hundredths(r)}, the least that is possible)`}. These are limits for `
          + `many others, where the counts are normal.`,
      };
    },
  };

  return models;
})();
