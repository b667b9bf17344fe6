/** Percentiles of a sample, in the unit of the sample. */
export interface Distribution {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export function distributionOf(sample: readonly number[]): Distribution {
  if (sample.length === 0) {
    throw new Error('There is nothing to take percentiles of');
  }
  const sorted = [...sample].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return {
    count: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: sorted[sorted.length - 1],
  };
}

/** One line of the table: what was measured, what it should be, and whether it is. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  /** What it is held against; absent where a figure explains another one. */
  bar?: { at: 'most' | 'least'; value: number };
}

export function isMet({ value, bar }: Figure): boolean | undefined {
  if (!bar) return undefined;
  return bar.at === 'most' ? value <= bar.value : value >= bar.value;
}

export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(figure => {
    const met = isMet(figure);
    return [
      figure.what,
      `${readable(figure.value)} ${figure.unit}`,
      figure.bar
        ? `at ${figure.bar.at} ${readable(figure.bar.value)} ${figure.unit}`
        : '',
      met === undefined ? '' : (met && 'met') || 'NOT MET',
    ];
  });
  const all = [['what', 'measured', 'bar', ''], ...rows];
  const widths = all[0].map((_, column) =>
    Math.max(...all.map(row => row[column].length)),
  );
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function readable(value: number): string {
  if (Number.isInteger(value)) return String(value);
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
