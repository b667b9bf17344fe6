import { arrowLine, labelOf, layout } from './LinkPicture';

describe('layout', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'keeps %d nodes inside the picture and off each other',
    count => {
      const { width, height, points } = layout(count);
      expect(points).toHaveLength(count);
      points.forEach((point, index) => {
        expect(point.x).toBeGreaterThanOrEqual(85);
        expect(point.x).toBeLessThanOrEqual(width - 85);
        expect(point.y).toBeGreaterThanOrEqual(27);
        expect(point.y).toBeLessThanOrEqual(height - 27);
        for (const other of points.slice(index + 1)) {
          expect(
            Math.abs(point.x - other.x) >= 170 ||
              Math.abs(point.y - other.y) >= 54,
          ).toBe(true);
        }
      });
    },
  );
});

describe('arrowLine', () => {
  it('starts and ends outside of both boxes, and never on its way back', () => {
    for (const count of [2, 3, 4, 5, 6]) {
      const { points } = layout(count);
      for (const from of points) {
        for (const to of points) {
          if (from === to) continue;
          const there = arrowLine(from, to);
          for (const [x, y] of [
            [there.x1, there.y1],
            [there.x2, there.y2],
          ]) {
            for (const box of [from, to]) {
              expect(
                Math.abs(x - box.x) >= 85 || Math.abs(y - box.y) >= 27,
              ).toBe(true);
            }
          }
          const back = arrowLine(to, from);
          const distance = Math.hypot(
            (there.x1 + there.x2 - back.x1 - back.x2) / 2,
            (there.y1 + there.y2 - back.y1 - back.y2) / 2,
          );
          expect(distance).toBeGreaterThan(10);
        }
      }
    }
  });
});

describe('labelOf', () => {
  it.each([
    ['eu-west', 0, 'eu-west'],
    ['eu-west', 36, 'eu-west +36'],
    ['production-europe-west', 0, 'production-europe-w…'],
    ['production-europe-west', 199, 'production-eur… +199'],
  ])('says %s and %d more as %s', (name, more, label) => {
    expect(labelOf({ name, more })).toBe(label);
  });
});
