/* What the explorable figures compute with: binomial masses, the hockey-stick divergence of counts, normal
   laws, and the least ε for a δ. In logarithms, so that a tiny δ is not 0. Each function has its twin in
   pkdp, against which the tests hold it. A plain script: pages work from a file. */
"use strict";
window.pkdpLaws = (() => {
  // ln n! less Stirling's approximation: exact sums for small n, the series from 16 on.
  const SMALL = Array.from({length: 16}, (_, n) => {
    let sum = 0;
    for (let k = 2; k <= n; k++) sum += Math.log(k);
    return n ? sum - ((n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI)) : 0;
  });
  const stirlingError = n => n < 16 ? SMALL[n]
    : (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / (n * n)) / (n * n)) / (n * n)) / (n * n)) / n;

  // x·ln(x/m) + m - x, without the cancellation where x is near m.
  function deviance(x, m) {
    const v = (x - m) / (x + m);
    if (Math.abs(v) >= 0.1) return x * Math.log(x / m) + m - x;
    let sum = (x - m) * v, power = 2 * x * v, last;
    for (let k = 3; sum !== last; k += 2) {
      power *= v * v;
      last = sum;
      sum += power / k;
    }
    return sum;
  }

  // ln P[Bin(n, p) = k], q = 1 - p, by Loader's formula.
  function logMass(k, n, p, q) {
    if (k < 0 || k > n) return -Infinity;
    if (p === 0 || q === 0) return k === (p ? n : 0) ? 0 : -Infinity;
    if (k === 0) return n * (p < 0.1 ? Math.log1p(-p) : Math.log(q));
    if (k === n) return n * (q < 0.1 ? Math.log1p(-q) : Math.log(p));
    return stirlingError(n) - stirlingError(k) - stirlingError(n - k) - deviance(k, n * p)
      - deviance(n - k, n * q) + 0.5 * Math.log(n / (2 * Math.PI * k * (n - k)));
  }

  // ln P[Bin(n, p) ≥ k], from the smaller of the two tails.
  function logUpper(k, n, p, q) {
    if (k <= 0) return 0;
    if (k > n) return -Infinity;
    if (k <= n * p) return Math.log1p(-Math.exp(logUpper(n - k + 1, n, q, p)));
    let sum = 0, term = 1;
    for (let i = k; term > 1e-18 * sum; i++) {
      sum += term;
      term *= (n - i) / (i + 1) * (p / q);
    }
    return logMass(k, n, p, q) + Math.log(sum);
  }

  // ln of the largest P[S ≥ j] - E·P[S > j] over j from `lowest` to `highest`, S ~ Bin(n, p): what tells
  // a target of 1 from one of 0. Its steps s_i - E·s_{i+1} change their sign once, from - to +.
  function logExcess(n, p, q, eps, lowest = 0, highest = n) {
    if (lowest > n) return -Infinity;
    if (p === 0 || q === 0) return lowest <= (p ? n : 0) && (p ? n : 0) <= highest ? 0 : -Infinity;
    const E = Math.exp(eps);
    const turn = Math.ceil((E * n * p - q) / (q + E * p));
    if (highest < turn) { // what (E - 1)·P[S > j] leaves of s_j
      const mass = logMass(highest, n, p, q);
      const taken = Math.expm1(eps) * Math.exp(logUpper(highest + 1, n, p, q) - mass);
      return lowest <= highest && taken < 1 ? mass + Math.log1p(-taken) : -Infinity;
    }
    const from = Math.max(lowest, turn);
    let sum = 0, mass = 1;
    for (let i = from; i <= n; i++) {
      const step = ((i + 1) * q - E * (n - i) * p) / ((i + 1) * q);
      sum += mass * step;
      mass *= (n - i) * p / ((i + 1) * q);
      if (i > turn && mass < 1e-18 * sum) break;
    }
    return sum > 0 ? logMass(from, n, p, q) + Math.log(sum) : -Infinity;
  }

  // ln δ(ε) of a count of n others, each 1 with probability p, in the direction that reveals more.
  const logCount = (n, p, eps) => Math.max(logExcess(n, p, 1 - p, eps), logExcess(n, 1 - p, p, eps));

  // The bit of log-odds x, and the relative entropy from it of the same bit tilted by ε.
  const expit = x => 1 / (1 + Math.exp(-x));
  const tiltEntropy = (x, eps) => expit(x + eps) * eps - Math.log1p(expit(x) * Math.expm1(eps));

  // Nodes and weights on [-1, 1], by Newton's method from the usual guesses.
  function gaussLegendre(order) {
    return Array.from({length: order}, (_, i) => {
      let x = Math.cos(Math.PI * (i + 0.75) / (order + 0.5)), slope;
      for (let round = 0; round < 8; round++) {
        let last = 1, now = x;
        for (let k = 2; k <= order; k++) [last, now] = [now, ((2 * k - 1) * x * now - (k - 1) * last) / k];
        slope = order * (x * now - last) / (x * x - 1);
        x -= now / slope;
      }
      return [x, 2 / ((1 - x * x) * slope * slope)];
    });
  }
  const RULE = gaussLegendre(16);

  // Where a function on [-1, 1] that rises and falls once is largest, to a hundredth.
  function bestPhase(f) {
    let at = 0;
    for (let by = 1 / 4; by > 1e-2; by /= 4) {
      const start = at;
      for (let way = -4; way <= 4; way++) if (f(start + way * by) > f(at)) at = start + way * by;
    }
    return at;
  }

  // ln δ(ε) of a count in the worst case over all probabilities in [λ, 1-λ]: the largest over the vertices,
  // where m of the n others are at λ and the rest at 1-λ. A vertex is one Fourier integral along the line
  // through its saddle point, as in pkdp's _vertices. What m does is to move the lattice of counts against
  // the best event; so many of its turns are looked at. That they hold the worst vertex is tested, not proved.
  function logWorstCount(n, lam, eps, turns = 20) {
    const x = Math.log(lam) - Math.log1p(-lam);
    const qa = expit(x + eps), na = expit(-x - eps), qb = expit(-x + eps), nb = expit(x - eps);
    const drop = tiltEntropy(x, eps) - tiltEntropy(-x, eps);
    const least = n * qb * nb, most = n * qa * na;

    const cut = 2 * Math.asin(Math.sqrt(Math.min(1, 24 / least)));
    let scale = 4 / Math.sqrt(Math.max(most, 16));
    if (eps > 0) scale = Math.min(scale, Math.max(eps, 1e-17));
    const length = Math.asinh(cut / scale), panels = Math.max(4, Math.ceil(length / 0.8));
    const width = length / panels;
    const nodes = [];
    for (let panel = 0; panel < panels; panel++) for (const [at, weight] of RULE) {
      const w = (panel + (at + 1) / 2) * width, theta = scale * Math.sinh(w);
      const sine = Math.sin(theta / 2) ** 2;
      // ln(1 - q + q·e^{iθ}) - iqθ, through the rarer of the two outcomes.
      const bit = (q, not) => {
        const rare = Math.min(q, not);
        const turn = Math.atan2(rare * Math.sin(theta), 1 - 2 * rare * sine) - rare * theta;
        return [0.5 * Math.log1p(-4 * q * not * sine), q <= not ? turn : -turn];
      };
      const [ra, ia] = bit(qa, na), [rb, ib] = bit(qb, nb);
      // (1 - e^{-iθ})/(1 - e^{-ε-iθ}) times the weight
      const s = Math.sin(theta / 2), c = Math.cos(theta / 2);
      const re = Math.sinh(eps / 2) * c, im = Math.cosh(eps / 2) * s;
      const factor = Math.exp(eps / 2) * s / (re * re + im * im)
        * weight * width / 2 * scale * Math.cosh(w) / Math.PI;
      nodes.push({theta, kr: im * factor, ki: re * factor,
        br: n * rb, bi: n * ib, mr: ra - rb - drop, mi: ia - ib});
    }
    // The excess, on one scale for all m, of an event that begins where the tilted mean lies, or so far below.
    const excess = (m, phase) => {
      let sum = 0;
      for (const {theta, kr, ki, br, bi, mr, mi} of nodes) {
        const e = Math.exp(br + m * mr), angle = bi + m * mi + phase * theta;
        sum += e * (kr * Math.cos(angle) - ki * Math.sin(angle));
      }
      return sum * Math.exp(eps * phase);
    };

    // At its best phase the excess falls with m; near ε = 0 it rises first, at most as far as n/2.
    let from = 0;
    if (eps * Math.sqrt(least) < 1) {
      let to = Math.floor(n / 2);
      while (from < to) {
        const middle = Math.floor((from + to) / 2), best = bestPhase(phase => excess(middle, phase));
        if (excess(middle + 1, best) > excess(middle, best)) from = middle + 1;
        else to = middle;
      }
    }
    // From one m to the next the lattice of counts turns against the mean. Events that turn with it are on a line, and
    // on each line the excess rises and falls once. At `from` two lines are within 1 of the mean; each later turn
    // brings another.
    const step = qb - qa, turn = step - Math.round(step) || 1e-300;
    const mean = n * qb - from * step, start = mean - Math.floor(mean);
    const onLine = line => {
      const at = m => excess(m, start + line - (m - from) * turn);
      const ends = [-1, 1].map(end => Math.min(Math.max(from + (start + line + end) / turn, -1), n + 1));
      let low = Math.max(0, Math.ceil(Math.min(...ends))), high = Math.min(n, Math.floor(Math.max(...ends)));
      if (low > high) return 0;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (at(middle + 1) > at(middle)) low = middle + 1;
        else high = middle;
      }
      return at(low);
    };
    let best = Math.max(onLine(0), onLine(-1));
    for (const way of from > 0 ? [1, -1] : [1]) for (let k = 1; k < turns; k++) {
      const here = onLine(way * Math.sign(turn) * k - (way * turn < 0 ? 1 : 0));
      if (k > 4 && here < 0.98 * best) break;
      best = Math.max(best, here);
    }
    return best > 0 ? Math.min(0, Math.log(best) - n * tiltEntropy(-x, eps)) : -Infinity;
  }

  // Mills' ratio (1 - Φ(t))/φ(t): a series near 0, a continued fraction beyond.
  function mills(t) {
    if (t > 2.5) {
      let fraction = t;
      for (let k = 150; k > 0; k--) fraction = t + k / fraction;
      return 1 / fraction;
    }
    if (t < -2.5) return Math.sqrt(2 * Math.PI) * Math.exp(t * t / 2) - mills(-t);
    let sum = 0, term = t;
    for (let k = 3; Math.abs(term) > 1e-18 * Math.abs(sum); k += 2) {
      sum += term;
      term *= t * t / k;
    }
    return Math.sqrt(Math.PI / 2) * Math.exp(t * t / 2) - sum;
  }

  // ln δ(ε) of two normal laws of variance 1 whose means are µ apart.
  function logNormal(mu, eps) {
    const t = eps / mu - mu / 2;
    return -t * t / 2 - 0.5 * Math.log(2 * Math.PI) + Math.log(mills(t) - mills(t + mu));
  }

  // ln Σ (P_k - E·Q_k)₊ of two lists of masses.
  function logHockeyStick(P, Q, eps) {
    const E = Math.exp(eps);
    let sum = 0;
    for (let k = 0; k < P.length; k++) sum += Math.max(P[k] - E * Q[k], 0);
    return Math.log(sum);
  }

  // The masses of a sum of two independent numbers 0, 1, 2, …
  function convolve(a, b) {
    const sum = new Float64Array(a.length + b.length - 1);
    for (let i = 0; i < a.length; i++) for (let j = 0; j < b.length; j++) sum[i + j] += a[i] * b[j];
    return sum;
  }

  // ln δ(ε) of a count of n others, each 1 with probability p, with two-sided geometric noise of parameter g,
  // as a function of ε; in the direction that reveals more.
  function noisyCount(n, p, g) {
    const side = (p, q) => {
      const mean = n * p, reach = 40 * Math.sqrt(n * p * q + 1) + 60;
      const low = Math.max(0, Math.floor(mean - reach)), high = Math.min(n, Math.ceil(mean + reach));
      // From the mode outwards each mass comes from its neighbour.
      const size = high - low + 1, masses = new Float64Array(size);
      const mode = Math.min(high, Math.max(low, Math.floor((n + 1) * p)));
      masses[mode - low] = Math.exp(logMass(mode, n, p, q));
      for (let k = mode; k < high; k++) masses[k + 1 - low] = masses[k - low] * (n - k) / (k + 1) * (p / q);
      for (let k = mode; k > low; k--) masses[k - 1 - low] = masses[k - low] * k / (n - k + 1) * (q / p);
      const sums = Float64Array.from(masses);
      for (let k = 1; k < size; k++) sums[k] += g * sums[k - 1];
      const last = sums[size - 1];
      for (let k = size - 2, above = masses[size - 1]; k >= 0; k--) {
        sums[k] += g * above;
        above = masses[k] + g * above;
      }
      return {sums, last};
    };
    const sides = [side(p, 1 - p), side(1 - p, p)];
    return eps => Math.max(...sides.map(({sums, last}) => {
      const E = Math.exp(eps);
      if (E * g >= 1) return -Infinity;
      let total = last * (1 - E * g) / (1 - g); // beyond the last count all ratios are 1/g
      for (let k = 1; k < sums.length; k++) total += Math.max(sums[k - 1] - E * sums[k], 0);
      return Math.log(total * (1 - g) / (1 + g));
    }));
  }

  // The least ε ≥ 0 at which a falling ln δ is at most `logDelta`; ∞ if none below `most` is.
  function leastEps(logProfile, logDelta, most = 60) {
    if (logProfile(0) <= logDelta) return 0;
    if (logProfile(most) > logDelta) return Infinity;
    let low = 0, high = most;
    for (let k = 0; k < 64 && high - low > 1e-14 * high; k++) {
      const middle = low + (high - low) / 2;
      if (logProfile(middle) <= logDelta) high = middle;
      else low = middle;
    }
    return high;
  }

  return {logUpper, logExcess, logCount, logWorstCount, logNormal, logHockeyStick, convolve,
    noisyCount, leastEps};
})();
