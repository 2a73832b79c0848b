/**
 * The pages' script. They work without it; it keeps them up to date: asks for the same document, and changes in
 * `<main>` only what differs, so that a video keeps its place, an opened part stays open and the focus stays where it
 * was. Nothing is changed while a video plays, while text is selected, or in a hidden tab. It is text because browsers
 * get it as it is; no part of it comes from a template, so nothing can be put into it.
 */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const BUSY_MS = 2000;
  const CALM_MS = 10000;
  const main = document.getElementById('main');
  const live = document.getElementById('live');
  let failures = 0;
  let timer;

  // Times are told in UTC; pointing at one tells the reader's own.
  const tellLocalTimes = () => {
    for (const time of main.querySelectorAll('time[datetime*="T"]:not([title])')) {
      const date = new Date(time.dateTime);
      if (!Number.isNaN(date.getTime())) time.title = date.toLocaleString() + ' where you are';
    }
  };

  const isInUse = () => {
    const videos = [...main.querySelectorAll('video')];
    const selection = getSelection();
    return (
      document.hidden ||
      document.fullscreenElement !== null ||
      document.pictureInPictureElement != null ||
      videos.some((video) => !video.paused && !video.ended) ||
      (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode))
    );
  };

  const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null);
  const isSameKind = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  // Makes an element like another one, touching only what differs.
  const change = (from, to) => {
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.data !== to.data) from.data = to.data;
      return;
    }
    for (const { name, value } of [...to.attributes]) {
      if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    for (const { name } of [...from.attributes]) {
      const isReaders = (from.nodeName === 'DETAILS' && name === 'open') || (from.nodeName === 'TIME' && name === 'title');
      if (!to.hasAttribute(name) && !isReaders) from.removeAttribute(name);
    }
    if (from.nodeName === 'TIME' && from.textContent !== to.textContent) from.removeAttribute('title');
    changeChildren(from, to);
  };

  const changeChildren = (from, to) => {
    const keyed = new Map();
    for (const child of from.children) if (keyOf(child) !== null) keyed.set(keyOf(child), child);
    let place = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      const key = keyOf(wanted);
      let found = key === null ? place : keyed.get(key);
      if (found && isSameKind(found, wanted)) {
        if (found === place) place = place.nextSibling;
        else from.insertBefore(found, place);
        change(found, wanted);
      } else {
        found = document.importNode(wanted, true);
        if (key !== null) found.classList.add('fresh');
        if (place && keyOf(place) === null && key === null) {
          const next = place.nextSibling;
          from.replaceChild(found, place);
          place = next;
        } else from.insertBefore(found, place);
      }
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  };

  const say = (text) => {
    if (live.textContent !== text) live.textContent = text;
  };

  const update = async () => {
    if (!isInUse()) {
      try {
        const response = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(15000) });
        if (response.status === 401) return location.reload();
        const text = await response.text();
        const wanted = new DOMParser().parseFromString(text, 'text/html').getElementById('main');
        if (!wanted) throw new Error('an answer that is no page');
        if (!isInUse()) {
          change(main, wanted);
          tellLocalTimes();
        }
        failures = 0;
        say('');
      } catch {
        failures += 1;
        if (failures > 1) say('The service does not answer; this page may be old.');
      }
    }
    plan();
  };

  const plan = () => {
    clearTimeout(timer);
    const wait = main.dataset.busy === 'yes' ? BUSY_MS : CALM_MS;
    timer = setTimeout(update, Math.min(60000, wait * 2 ** Math.min(failures, 5)));
  };

  // One video at a time.
  document.addEventListener(
    'play',
    (event) => {
      for (const video of main.querySelectorAll('video')) if (video !== event.target) video.pause();
    },
    true,
  );
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      clearTimeout(timer);
      update();
    }
  });
  tellLocalTimes();
  plan();
})();
`;
