import { render, screen } from '@testing-library/react';
import { Age, ageText } from './Age';

describe('ageText', () => {
  it.each([
    [-5_000, 'a moment'],
    [0, 'a moment'],
    [20_000, '20 s'],
    [61_000, '1 min'],
    [59 * 60_000, '59 min'],
    [5 * 3_600_000, '5 h'],
    [49 * 3_600_000, '2 d'],
  ])('says %d ms as %s', (milliseconds, text) => {
    expect(ageText(milliseconds)).toBe(text);
  });
});

describe('Age', () => {
  it('carries the absolute time for machines and for those who ask', () => {
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
    render(<Age at={at} prefix="updated" />);
    const time = screen.getByText('updated 3 h ago');
    expect(time).toHaveAttribute('datetime', at);
    expect(time).toHaveAttribute('title', new Date(at).toLocaleString());
  });

  it('shows what is no time as it is', () => {
    render(<Age at="soon" />);
    expect(screen.getByText('soon')).toBeInTheDocument();
  });
});
