/* Checks an answer as pkdp.exercises does, against the sealed digests on the page: the same fractions,
   digests and replies. A test compares both. Without Web Crypto the page says how to check in Python. */
(() => {
  'use strict';
  const ROUNDS = 5000, DIGITS = 3, MOST_DENOMINATOR = 100000n, NEAR = [1n, 10n ** 9n];
  const FORM = /^\s*([-+]?)(?=\d|\.\d)(\d*)(?:\s*\/\s*(\d+)|(?:\.(\d*))?(?:e([-+]?\d{1,3}))?)\s*$/i;

  // Fractions are pairs of integers in lowest terms, the second positive.
  const size = n => (n < 0n ? -n : n);
  const divisor = (a, b) => (b ? divisor(b, a % b) : size(a));
  const fraction = (a, b) => {
    const common = divisor(a, b);
    return [a / common, b / common];
  };
  const power = n => (n < 0 ? [1n, 10n ** BigInt(-n)] : [10n ** BigInt(n), 1n]);
  const times = ([a, b], [c, d]) => fraction(a * c, b * d);
  const text = ([a, b]) => (b === 1n ? `${a}` : `${a}/${b}`);

  const number = words => {
    const found = FORM.exec(words.replace('\u2212', '-'));
    if (!found) return null;
    const [, sign, whole, below = '1', decimals = '', exponent = '0'] = found;
    if (!BigInt(below)) return null;
    const [a, b] = times([BigInt(whole + decimals), BigInt(below)], power(Number(exponent) - decimals.length));
    return fraction(sign === '-' ? -a : a, b);
  };

  const simplest = ([whole, below]) => { // the nearest fraction of a denominator that is not too large
    if (below <= MOST_DENOMINATOR) return [whole, below];
    let [p0, q0, p1, q1, n, d] = [0n, 1n, 1n, 0n, size(whole), below];
    while (q0 + (n / d) * q1 <= MOST_DENOMINATOR)
      [p0, q0, p1, q1, n, d] = [p1, q1, p0 + (n / d) * p1, q0 + (n / d) * q1, d, n % d];
    const k = (MOST_DENOMINATOR - q0) / q1;
    const near = 2n * d * (q0 + k * q1) <= below ? [p1, q1] : [p0 + k * p1, q0 + k * q1];
    return whole < 0n ? [-near[0], near[1]] : near;
  };

  const rounded = ([a, b], digits) => { // and its neighbours: rounding twice may end there
    if (!a) return ['0'];
    let exponent = `${size(a)}`.length - `${b}`.length;
    const [c, d] = power(exponent);
    if (size(a) * d < c * b) exponent -= 1;
    const scale = power(exponent - digits + 1);
    const [n, m] = times([size(a), b], [scale[1], scale[0]]);
    const twice = 2n * (n % m);
    const up = twice > m || (twice === m && (n / m) % 2n) ? 1n : 0n;
    const nearest = (n / m + up) * (a < 0n ? -1n : 1n);
    return [nearest, nearest - 1n, nearest + 1n].map(one => text(times([one, 1n], scale)));
  };

  const texts = (value, exact) => {
    if (!exact) return rounded(value, DIGITS);
    const near = simplest(value);
    const gap = size(value[0] * near[1] - near[0] * value[1]);
    return [text(gap * NEAR[1] <= NEAR[0] * value[1] * near[1] ? near : value)];
  };

  const sha256 = async bytes => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
  const digest = async (name, words) => {
    const bytes = line => new TextEncoder().encode(line);
    let found = bytes(`${hex(await sha256(bytes(`pkdp exercise ${name}`))).slice(0, 16)} ${words}`);
    for (let round = 0; round < ROUNDS; round += 1) found = await sha256(found);
    return hex(found).slice(0, 32);
  };

  const reply = async (name, sealed, words) => {
    const value = number(words);
    if (!value) return 'Enter a number, such as 12, 0.25 or 3/4.';
    const digests = await Promise.all(texts(value, sealed.exact).map(one => digest(name, one)));
    if (digests.includes(sealed.right)) return 'Yes.';
    const slip = digests.find(one => one in sealed.wrong);
    if (slip) return `No. ${sealed.wrong[slip]}`;
    const first = rounded(value, sealed.exact ? DIGITS : DIGITS - 1)[0];
    return await digest(name, `about ${first}`) === sealed.near ? `No. ${sealed.nearly}` : 'No.';
  };

  for (const box of crypto.subtle ? document.querySelectorAll('.check[data-sealed]') : []) {
    box.querySelector('.check-python').outerHTML = '<form><label>Your answer <input autocomplete="off" '
      + 'spellcheck="false"></label> <button>Check</button> <output role="status"></output></form>';
    const form = box.querySelector('form'), said = form.querySelector('output');
    form.addEventListener('submit', async event => {
      event.preventDefault();
      const sealed = JSON.parse(box.dataset.sealed), given = form.querySelector('input').value;
      said.textContent = await reply(box.dataset.exercise, sealed, given);
    });
    form.querySelector('input').addEventListener('input', () => { said.textContent = ''; });
  }
})();
