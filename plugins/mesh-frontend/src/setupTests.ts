import '@testing-library/jest-dom';

// A window of 1440 px: the test DOM has no media queries of its own, and would pass for a narrow one.
window.matchMedia ??= (query: string) => {
  const from = Number(/min-width:\s*(\d+)/.exec(query)?.[1] ?? 0);
  const to = Number(/max-width:\s*(\d+)/.exec(query)?.[1] ?? Infinity);
  return {
    matches: from <= 1440 && to >= 1440 && /width/.test(query),
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
    dispatchEvent: () => false,
  };
};
