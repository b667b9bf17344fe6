import type { Theme } from '@material-ui/core/styles';

/** How something is, as far as the eye is concerned. */
export type Tone = 'good' | 'info' | 'warning' | 'bad' | 'unknown';

/**
 * Colours of text and icons, for the paper and background of Backstage's light
 * and dark themes. The theme's own `status` palette is made for dots: as text it
 * does not reach the contrast of WCAG AA, which these do (see the test).
 */
const colours: Record<'light' | 'dark', Record<Tone, string>> = {
  light: {
    good: '#1a6e36',
    info: '#0f5fa6',
    warning: '#8a4b00',
    bad: '#b3141f',
    unknown: '#5c5c5c',
  },
  dark: {
    good: '#8fe3a6',
    info: '#a6d1ff',
    warning: '#ffcf80',
    bad: '#ffb3b3',
    unknown: '#d0d0d0',
  },
};

export const toneColour = (theme: Theme, tone: Tone): string =>
  colours[theme.palette.type][tone];

/** Links inside text and tables are told by a line, not by colour alone. */
export const underlined = {
  textDecoration: 'underline',
  textDecorationThickness: '1px',
  textUnderlineOffset: '3px',
} as const;

/** Text that steps back. The theme's own secondary text is too faint on striped rows. */
export const quietColour = (theme: Theme): string =>
  toneColour(theme, 'unknown');
