// Links out of docs/ lead to files of the repository, which the book does not hold.
(() => {
  const repository = "https://github.com/newslode/newslode/blob/main/";
  const here = document.querySelector("main");
  const depth = (path_to_root.match(/\.\.\//g) || []).length;
  here?.querySelectorAll("a[href^='../']").forEach((link) => {
    const href = link.getAttribute("href");
    const up = href.match(/^(\.\.\/)+/)[0].length / 3;
    if (up > depth) {
      link.href = repository + href.slice(up * 3).replace(/\.html(#|$)/, ".md$1");
    }
  });
})();
