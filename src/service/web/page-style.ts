/** Looks of the pages: light and dark by the reader's choice, one column on a phone, still unless motion is wanted. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f5f5f2; --card: #ffffff; --sunk: #eeeeea; --line: #dcdcd6;
  --ink: #1b1b1f; --soft: #5a5a63; --accent: #4338ca; --on-accent: #ffffff; --track: #dedee8;
  --good: #166534; --good-bg: #dcfce7; --bad: #a11d1d; --bad-bg: #fee5e5; --wait: #3730a3; --wait-bg: #e5e7ff;
  --plus: #15803d; --minus: #c2410c; --screen: #15151a;
  --round: 14px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #111216; --card: #1a1b21; --sunk: #23252d; --line: #32343e;
    --ink: #ececf1; --soft: #a5a7b4; --accent: #a5b0ff; --on-accent: #14152a; --track: #363948;
    --good: #86efac; --good-bg: #12321f; --bad: #fca5a5; --bad-bg: #411b1d; --wait: #c0c7ff; --wait-bg: #282b57;
    --plus: #4ade80; --minus: #fb923c; --screen: #08080a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
h1, h2, h3, p, ul, ol, dl, dd, figure, blockquote, pre { margin: 0; }
ul, ol { padding: 0; list-style: none; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; letter-spacing: -.015em; }
h2 { font-size: 1.2rem; }
h3 { font-size: 1.05rem; }
a { color: var(--accent); text-underline-offset: .18em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
main:focus { outline: none; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
code { overflow-wrap: anywhere; }
time { white-space: nowrap; }
pre { overflow: auto; max-height: 24rem; padding: .75rem 1rem; background: var(--sunk); border-radius: 10px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--card); z-index: 2; }
.skip:focus { top: .5rem; }

.top { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 2rem; padding: .75rem max(1rem, calc(50vw - 36rem));
  background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.1rem; color: var(--ink);
  text-decoration: none; }
.brand rect { fill: #4338ca; } .brand .play { fill: #fff; }
.brand .bar { stroke: #a5b4fc; stroke-width: 3; stroke-linecap: round; }
.top ul { display: flex; flex-wrap: wrap; gap: .25rem; }
.top nav a { display: block; padding: .45rem .8rem; border-radius: 999px; color: var(--soft); text-decoration: none; font-weight: 500; }
.top nav a:hover { color: var(--ink); background: var(--sunk); }
.top nav a[aria-current] { color: var(--wait); background: var(--wait-bg); }
main { flex: 1; width: 100%; max-width: 74rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
main > section + section { margin-top: 2.5rem; }
.foot { display: flex; flex-wrap: wrap; gap: .25rem 2rem; padding: 1rem max(1rem, calc(50vw - 36rem)); color: var(--soft);
  font-size: .875rem; border-top: 1px solid var(--line); }
#live { color: var(--bad); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .9rem; margin-bottom: 1rem; }
.head p { color: var(--soft); overflow-wrap: anywhere; min-width: 0; }
.head .pages { margin: 0 0 0 auto; }
.back { margin-bottom: .75rem; font-size: .95rem; }

.badge { display: inline-block; padding: .1rem .6rem; border-radius: 999px; font-size: .8125rem; font-weight: 600; white-space: nowrap;
  color: var(--wait); background: var(--wait-bg); }
.badge.good { color: var(--good); background: var(--good-bg); }
.badge.bad { color: var(--bad); background: var(--bad-bg); }
.badge.off { color: var(--soft); background: var(--sunk); text-decoration: line-through; }
.button { display: inline-block; padding: .4rem .9rem; border-radius: 10px; background: var(--accent); color: var(--on-accent);
  font-weight: 600; font-size: .9rem; text-decoration: none; }
.button:hover { text-decoration: underline; }
.button.quiet { background: var(--sunk); color: var(--ink); }
.pages { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.25rem; }
.empty { padding: 2rem 1.25rem; border: 1px dashed var(--line); border-radius: var(--round); color: var(--soft); text-align: center; }
.empty pre { display: inline-block; margin: .75rem 0; text-align: left; color: var(--ink); }
.error { margin-top: .4rem; padding: .45rem .75rem; border-radius: 10px; background: var(--bad-bg); color: var(--bad); font-size: .9375rem;
  overflow-wrap: anywhere; }
.notes { margin-top: .5rem; color: var(--soft); font-size: .9rem; display: grid; gap: .2rem; }
.notes li { padding-left: 1.1rem; text-indent: -1.1rem; overflow-wrap: anywhere; }
.notes li::before { content: "•"; display: inline-block; width: 1.1rem; text-indent: 0; }
.facts { color: var(--soft); font-size: .9rem; display: flex; flex-wrap: wrap; gap: 0 .9rem; overflow-wrap: anywhere; min-width: 0; }
.facts > * { min-width: 0; }
.id { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .85em; align-self: center; }
details { margin-top: .5rem; font-size: .9375rem; }
summary { cursor: pointer; color: var(--accent); width: fit-content; padding: .15rem 0; }
details > pre, details > table, details > blockquote { margin-top: .4rem; }
blockquote { padding: .1rem 0 .1rem .9rem; border-left: 3px solid var(--line); color: var(--soft); overflow-wrap: anywhere; }

.rows { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.row { display: grid; grid-template-columns: minmax(0, 1fr) 15rem; gap: .5rem 1.5rem; padding: .9rem 1.1rem; }
.row + .row { border-top: 1px solid var(--line); }
.row h2, .row h3 { font-size: 1.02rem; font-weight: 600; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  overflow: hidden; }
.row h2 a, .row h3 a { color: inherit; text-decoration: none; }
.row h2 a:hover, .row h3 a:hover { text-decoration: underline; }
.row .state { display: flex; flex-direction: column; align-items: flex-end; gap: .35rem; text-align: right; }
.row .state .facts { justify-content: flex-end; }
.count { color: var(--soft); }
.progress { width: 100%; font-size: .8125rem; color: var(--soft); text-align: right; }
.progress progress { display: block; width: 100%; height: 8px; margin-bottom: .2rem; accent-color: var(--accent); border: 0;
  border-radius: 4px; overflow: hidden; background: var(--track); -webkit-appearance: none; appearance: none; }
progress::-webkit-progress-bar { background: var(--track); border-radius: 4px; }
progress::-webkit-progress-value { background: var(--accent); border-radius: 4px; }
progress::-moz-progress-bar { background: var(--accent); border-radius: 4px; }
section > .progress { max-width: 28rem; margin: .75rem 0; text-align: left; }

.steps { display: flex; margin: .5rem 0 .75rem; font-size: .875rem; }
.steps li { flex: 1; position: relative; padding-top: 1.4rem; text-align: center; color: var(--soft); }
.steps li::before { content: ""; position: absolute; top: .55rem; left: 0; right: 0; height: 3px; background: var(--track); }
.steps li:first-child::before { left: 50%; } .steps li:last-child::before { right: 50%; }
.steps li::after { content: ""; position: absolute; top: .15rem; left: calc(50% - .48rem); width: .96rem; height: .96rem; border-radius: 50%;
  background: var(--card); border: 3px solid var(--track); }
.steps .done::before { background: var(--accent); }
.steps .done::after { background: var(--accent); border-color: var(--accent); }
.steps .now { color: var(--ink); font-weight: 600; }
.steps .now::after { border-color: var(--accent); }
.details { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin-top: .9rem; }
.details dt, .label { color: var(--soft); font-size: .8125rem; }
.details div { min-width: 0; } .details dd { overflow-wrap: anywhere; }
.timeline { margin-bottom: 1.25rem; color: var(--soft); font-size: .8125rem; }
.timeline svg { display: block; width: 100%; height: 12px; border-radius: 6px; }
.timeline figcaption { display: flex; justify-content: space-between; margin-top: .25rem; }
.track { fill: var(--track); } .fill { fill: var(--accent); }
.timeline .fill { stroke: var(--paper); stroke-width: 2px; vector-effect: non-scaling-stroke; }

.clips { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1rem; align-items: start; }
.clip { display: grid; grid-template-columns: 13rem minmax(0, 1fr); background: var(--card); border: 1px solid var(--line);
  border-radius: var(--round); overflow: hidden; }
.screen { padding: .75rem 0 .75rem .75rem; }
.screen video { display: block; width: 100%; height: auto; max-height: 26rem; object-fit: contain; border-radius: 8px;
  background: var(--screen); }
.waiting { display: grid; place-items: center; min-height: 12rem; padding: 1rem; text-align: center; font-size: .9rem; color: #b9b9c4;
  border-radius: 8px; background: var(--screen); }
.about { padding: .9rem 1.1rem 1rem; min-width: 0; }
.about .facts { margin-top: .2rem; font-size: .85rem; }
.reason { margin-top: .6rem; overflow-wrap: anywhere; }
.score { display: grid; grid-template-columns: auto auto 1fr; align-items: center; gap: .5rem; margin-top: .6rem; }
.meter { width: 100%; height: 6px; border-radius: 3px; }
.why { width: 100%; border-collapse: collapse; font-size: .875rem; }
.why th { font-weight: 400; text-align: left; padding: .12rem .5rem .12rem 0; }
.why .bar { width: 32%; } .why svg { display: block; width: 100%; height: 8px; }
.plus { fill: var(--plus); } .minus { fill: var(--minus); } .axis { fill: var(--soft); }
.why .worth { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: .5rem; }
.tags { margin-top: .6rem; font-size: .9rem; overflow-wrap: anywhere; }
.tag { display: inline-block; padding: .05rem .6rem; border: 1px solid var(--line); border-radius: 999px; text-decoration: none; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .8rem; }
.actions:empty { display: none; }
.jobs { margin-top: .8rem; border-top: 1px solid var(--line); }
.jobs .tags .facts { display: inline; }
.jobs .error { max-height: 10rem; overflow: auto; }
.jobs blockquote { white-space: pre-line; }
.jobs details .facts { margin-top: .4rem; }
.newest .clips { grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
.newest .clip { grid-template-columns: 9.5rem minmax(0, 1fr); }
.newest .about { padding: .75rem .9rem; }

.month { width: 100%; table-layout: fixed; border-collapse: separate; border-spacing: 0; background: var(--card);
  border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.month th { padding: .5rem .6rem; text-align: left; font-size: .8125rem; font-weight: 600; color: var(--soft); background: var(--sunk); }
.month abbr { text-decoration: none; }
.month td { height: 6.5rem; padding: .4rem .5rem; vertical-align: top; border-top: 1px solid var(--line); border-left: 1px solid var(--line); }
.month td:first-child { border-left: 0; }
.month .outside { background: var(--sunk); }
.month .weekday { display: none; }
.day { display: inline-block; min-width: 1.7rem; padding: 0 .3rem; text-align: center; font-size: .875rem; color: var(--soft); border-radius: 999px; }
.today .day { background: var(--accent); color: var(--on-accent); font-weight: 700; }
.post { margin-top: .35rem; padding: .3rem .45rem; font-size: .8125rem; line-height: 1.35; border-radius: 8px; background: var(--sunk);
  border-left: 3px solid var(--accent); overflow-wrap: anywhere; }
.post a { color: var(--ink); text-decoration: none; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.post a:hover { text-decoration: underline; }
.post .at { font-weight: 700; font-variant-numeric: tabular-nums; }
.post .badge { font-size: .72rem; padding: 0 .45rem; margin-top: .2rem; }
.month + .empty { margin-top: 1rem; }

@media (max-width: 640px) {
  .top { gap: .4rem 1rem; padding-block: .6rem; }
  .top nav { width: 100%; } .top ul { justify-content: space-between; gap: 0; }
  .top nav a { padding: .5rem .65rem; font-size: .95rem; }
  main { padding-top: 1.1rem; }
  .row { grid-template-columns: minmax(0, 1fr); padding: .85rem .95rem; }
  .row .state { flex-flow: row wrap; align-items: center; text-align: left; }
  .row .progress { flex: 1 1 100%; text-align: left; }
  .row .state .facts { justify-content: flex-start; }
  .clip { grid-template-columns: minmax(0, 1fr); }
  .screen { padding: 0; }
  .screen video { max-height: 70vh; border-radius: 0; }
  .waiting { border-radius: 0; }
  .newest .clips { display: flex; overflow-x: auto; scroll-snap-type: x mandatory; padding-bottom: .5rem; margin-inline: -1rem;
    padding-inline: 1rem; scroll-padding-inline: 1rem; }
  .newest .clip { flex: 0 0 82%; grid-template-columns: minmax(0, 1fr); scroll-snap-align: start; }
  .newest .screen video { max-height: 24rem; }
  .steps { flex-direction: column; gap: .1rem; margin-left: .2rem; }
  .steps li { padding: .2rem 0 .2rem 1.8rem; text-align: left; }
  .steps li::before, .steps li:first-child::before, .steps li:last-child::before { left: .42rem; right: auto; top: 0; bottom: 0; width: 3px; height: auto; }
  .steps li:first-child::before { top: 50%; } .steps li:last-child::before { bottom: 50%; }
  .steps li::after { left: 0; top: calc(50% - .48rem); }
  .head .pages { margin: .5rem 0 0; width: 100%; }
  .month, .month tbody, .month tr, .month td { display: block; width: auto; height: auto; }
  .month thead, .month .outside, .month .free:not(.today), .month.bare { display: none; }
  .month td { border-left: 0; border-top: 1px solid var(--line); padding: .7rem .9rem; }
  .month .weekday { display: inline; }
  .day { padding: .05rem .6rem; }
  .post { font-size: .9375rem; }
  .post .badge { font-size: .8rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .fresh { animation: fresh .5s ease-out; }
  @keyframes fresh { from { opacity: 0; transform: translateY(6px); } }
  .steps .now::after { animation: pulse 1.6s ease-in-out infinite; }
  @keyframes pulse { 50% { background: var(--accent); } }
}
@media print { .top nav, .foot, .actions, .pages { display: none; } }
`;
