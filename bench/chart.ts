import { init } from 'echarts';

interface Bar {
  contender: string;
  kind: string;
  callers: number;
  p50Ms: { median: number };
  perSecond: { median: number };
}

/** An SVG with two charts: p50 with one caller, and rounds per second with 32 callers. Reads are left out. */
export function chartOf(rows: readonly Bar[]): string {
  const spins = rows.filter(({ kind }) => !kind.startsWith('read'));
  const one = spins.filter(({ callers }) => callers === 1);
  const many = spins.filter(({ callers }) => callers === 32);
  const label = ({ contender, kind }: Bar): string => `${contender}: ${kind}`;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 720 });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: [
      { text: 'p50 with one caller, ms (less is better)', left: 20, top: 10 },
      { text: 'rounds per second with 32 callers (more is better)', left: 20, top: 370 },
    ],
    grid: [
      { left: 230, right: 60, top: 50, height: 290 },
      { left: 230, right: 60, top: 410, height: 290 },
    ],
    xAxis: [
      { type: 'value', gridIndex: 0 },
      { type: 'value', gridIndex: 1 },
    ],
    yAxis: [
      { type: 'category', gridIndex: 0, inverse: true, data: one.map(label) },
      { type: 'category', gridIndex: 1, inverse: true, data: many.map(label) },
    ],
    series: [
      bars(
        0,
        one.map(({ p50Ms }) => p50Ms.median),
      ),
      bars(
        1,
        many.map(({ perSecond }) => perSecond.median),
      ),
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function bars(at: number, data: readonly number[]): object {
  return {
    type: 'bar',
    xAxisIndex: at,
    yAxisIndex: at,
    data: data.map((value) => Math.round(value * 10) / 10),
    label: { show: true, position: 'right' },
  };
}
