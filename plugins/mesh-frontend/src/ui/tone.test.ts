import { createTheme, getContrastRatio } from '@material-ui/core/styles';
import { palettes } from '@backstage/theme';
import { Tone, toneColour } from './tone';

const tones: Tone[] = ['good', 'info', 'warning', 'bad', 'unknown'];

describe.each(['light', 'dark'] as const)('tones in the %s theme', type => {
  const { paper, default: page } = palettes[type].background;
  const theme = createTheme({ palette: { type } });
  // Every second row of a table of the theme has the colour of the page.
  it.each(tones)('reads %s on paper and page with WCAG AA', tone => {
    const colour = toneColour(theme, tone);
    expect(getContrastRatio(colour, paper)).toBeGreaterThanOrEqual(4.5);
    expect(getContrastRatio(colour, page)).toBeGreaterThanOrEqual(4.5);
  });
});
