import type { ServiceContext } from '../service-context.js';
import { type Html, html } from './html.js';
import type { Page } from './layout.js';
import { type ScheduleLine, schedulesBetween, schedulesWaiting } from './page-queries.js';
import { stateBadge } from './state-badge.js';
import { clockTime, countText, monthName, timeTag } from './wording.js';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
/** More posts of one month than this are not drawn. */
const MAX_IN_MONTH = 500;
const NEXT_SHOWN = 10;

/** A month, counted from 1. */
interface Month {
  year: number;
  month: number;
}

/** Scheduled posts on a calendar of one month, in UTC as they were given. */
export function schedulesPage({ db, now }: Pick<ServiceContext, 'db' | 'now'>, wanted: string | null): Page {
  const shown = readMonth(wanted) ?? monthOf(now());
  const lines = schedulesBetween(db, startOf(shown), startOf(monthsFrom(shown, 1)), MAX_IN_MONTH);
  const name = monthName(shown.year, shown.month);
  return {
    title: `Calendar, ${name}`,
    section: '/schedules',
    main: html`<section aria-labelledby="calendar" data-key="calendar-${monthText(shown)}">
<div class="head"><h1 id="calendar">${name}</h1><p>${countText(lines.length, 'post')}</p>${monthLinks(shown)}</div>
${monthGrid(shown, lines, now().toISOString().slice(0, 10))}
</section>
${nextPosts(schedulesWaiting(db, NEXT_SHOWN))}`,
  };
}

function monthLinks(shown: Month): Html {
  const link = (to: Month, text: string) =>
    html`<a class="button quiet" href="/schedules?month=${monthText(to)}">${text}<span class="hidden">, ${monthName(to.year, to.month)}</span></a>`;
  return html`<nav class="pages" aria-label="Other months">${link(monthsFrom(shown, -1), '← Earlier')}<a class="button quiet" href="/schedules">Today</a>${link(monthsFrom(shown, 1), 'Later →')}</nav>`;
}

function monthGrid(shown: Month, lines: readonly ScheduleLine[], today: string): Html {
  const byDay = new Map<string, ScheduleLine[]>();
  for (const line of lines) {
    const day = line.publishAt.slice(0, 10);
    byDay.set(day, [...(byDay.get(day) ?? []), line]);
  }
  const weeks = weeksOf(shown).map(
    (days) => html`<tr>${days.map((day) => dayCell(day, (day && byDay.get(day)) || [], today))}</tr>`,
  );
  return html`<table class="month${lines.length === 0 && ' bare'}"><caption class="hidden">Scheduled posts of ${monthName(shown.year, shown.month)}, by day in UTC</caption>
<thead><tr>${WEEKDAYS.map((name) => html`<th scope="col"><abbr title="${name}">${name.slice(0, 3)}</abbr></th>`)}</tr></thead>
<tbody>${weeks}</tbody></table>
${lines.length === 0 && html`<p class="empty">Nothing is scheduled in this month.</p>`}`;
}

function dayCell(day: string | undefined, lines: readonly ScheduleLine[], today: string): Html {
  if (day === undefined) return html`<td class="outside"></td>`;
  const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7]?.slice(0, 3);
  const look = [lines.length === 0 && 'free', day === today && 'today'].filter(Boolean).join(' ');
  return html`<td class="${look}"${day === today && html` aria-current="date"`}><time class="day" datetime="${day}"><span class="weekday">${weekday} </span>${Number(day.slice(8))}</time>
${lines.length > 0 && html`<ul>${lines.map(post)}</ul>`}</td>`;
}

function post(line: ScheduleLine): Html {
  return html`<li class="post" data-key="${line.scheduleId}"><a href="/projects/${line.projectId}"><span class="at">${clockTime(line.publishAt)}</span> <bdi>${line.postTitle ?? line.clipTitle}</bdi></a> ${stateBadge(line.state)}${line.isLate && html` <span class="badge bad">late</span>`}</li>`;
}

function nextPosts(lines: readonly ScheduleLine[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<section aria-labelledby="next" data-key="next"><div class="head"><h2 id="next">Next posts</h2></div>
<ul class="rows">${lines.map(
    (
      line,
    ) => html`<li class="row" data-key="${line.scheduleId}"><div class="what"><h3><a href="/projects/${line.projectId}" dir="auto">${line.postTitle ?? line.clipTitle}</a></h3>
<p class="facts"><span>${timeTag(line.publishAt)}</span> <span>on <bdi>${line.account}</bdi></span> <span class="id">${line.scheduleId}</span></p></div>
<div class="state">${stateBadge(line.state)}</div></li>`,
  )}</ul></section>`;
}

/** Days of a month in weeks from Monday; undefined where the month has not begun or is over. */
function weeksOf({ year, month }: Month): (string | undefined)[][] {
  const lead = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7;
  const dayCount = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekCount = Math.ceil((lead + dayCount) / 7);
  const dayAt = (index: number) => {
    const day = index - lead + 1;
    return day < 1 || day > dayCount
      ? undefined
      : `${monthText({ year, month })}-${String(day).padStart(2, '0')}`;
  };
  return Array.from({ length: weekCount }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => dayAt(week * 7 + weekday)),
  );
}

function readMonth(text: string | null): Month | undefined {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text ?? '');
  const year = Number(match?.[1]);
  return match && year >= 1000 ? { year, month: Number(match[2]) } : undefined;
}

function monthOf(date: Date): Month {
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

function monthsFrom({ year, month }: Month, count: number): Month {
  return monthOf(new Date(Date.UTC(year, month - 1 + count, 1)));
}

function monthText({ year, month }: Month): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}

function startOf(month: Month): string {
  return `${monthText(month)}-01T00:00:00.000Z`;
}
