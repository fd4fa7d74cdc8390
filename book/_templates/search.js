/* Objects before text. An object of the index's `found`, which find.py writes, is a list: number of
   its page, anchor, title, number of its kind, a sentence, other names, and a rank among equals. */
const stem = word => new Stemmer().stemWord(word);
const asWords = text => splitQuery(text.toLowerCase()).filter(word => !stopwords.includes(word));
const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const pagesFound = new Map();
const fromFile = location.protocol === "file:";
// A file cannot load what another one says.
if (fromFile) DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

const asResult = ([page, anchor, title, kind, said], score) => [
  Search._index.docnames[page], escaped(title), anchor && "#" + anchor,
  `<small>${Search._index.kinds[kind]}</small><i>${escaped(said)}</i>`,
  score, Search._index.filenames[page]];

Search.performObjectSearch = (word, words) => {
  const query = asWords(new URLSearchParams(location.search).get("q"));
  if (word !== [...words][0] || !query.length) return []; // Sphinx asks for each word of the query
  const phrase = query.join(" "), stems = query.map(stem).join(" ");
  const begins = one => /^\d+$/.test(one) ? one + " " : one;
  const has = text => query.every(one =>
    text.includes(" " + begins(one)) || text.includes(" " + begins(stem(one))));
  return Search._index.found.flatMap(object => {
    const [, anchor, title, kind, said, others, rank] = object;
    const names = [title, ...others].map(name => asWords(name).join(" "));
    const own = ` ${names.join(" ")} `;
    if (!has(`${own}${asWords(`${Search._index.kinds[kind]} ${said}`).join(" ")} `)) return [];
    const score = names.includes(phrase) ? 100
      : names.some(name => name.split(" ").map(stem).join(" ") === stems) ? 90
      : names.some(name => name.endsWith(" " + phrase)) ? 80
      : names.some(name => name.startsWith(phrase + " ")) ? 70 : has(own) ? 50 : 24;
    const result = asResult(object, score - rank);
    if (!anchor) pagesFound.set(result[0], result);
    return [result];
  });
};

var Scorer = {
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: result => { // a page that is found as an object is the same in the list of texts
    const number = Search._index.docnames.indexOf(result[0]);
    const page = pagesFound.get(result[0]) || fromFile
      && asResult(Search._index.found.find(one => one[0] === number && !one[1]), result[4]);
    if (result[3] === null && !result[2] && page) Object.assign(result, page);
    return result[4];
  },
};
