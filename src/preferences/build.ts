import { findProblems } from '../api/describe-issue.js';
import { DOCUMENTED_CLIP_DURATIONS } from '../api/preference-values.js';
import { ProjectPreferences } from '../api/projects.js';
import { usageError } from '../errors.js';
import { DEFAULT_RENDER } from './defaults.js';
import { describeLook } from './describe.js';
import { returnedOnlyMembers } from './files.js';
import { isPlainObject, type JsonObject, memberAt, mergePreferences, objectAt } from './merge.js';
import { findTextProblems } from './text-checks.js';

export interface BuiltPreferences {
  preferences: ProjectPreferences;
  notes: string[];
  /** Something of the look of the clips was given. */
  lookGiven: boolean;
}

/**
 * Makes merged preferences ready to send: checks what the document states, chooses the model a prompt needs, and
 * completes renderPref. What the document does not state is passed through.
 */
export function buildPreferences(merged: JsonObject, renderSend: 'complete' | 'partial'): BuiltPreferences {
  const notes: string[] = [];
  const chosen = chooseModel(dropEmpty(merged), notes);
  checkCuration(chosen, notes);
  const render = memberAt(chosen, 'renderPref');
  const lookGiven =
    (isPlainObject(render) && Object.keys(render).length > 0) || typeof chosen.brandTemplateId === 'string';
  const complete = isPlainObject(render)
    ? { ...chosen, renderPref: completeRender(render, renderSend) }
    : chosen;
  if (isPlainObject(complete.renderPref)) notes.push(describeLook(complete.renderPref));
  const passed = returnedOnlyMembers(chosen);
  if (passed.length > 0) {
    notes.push(`passed on as given, the document shows them only in answers: ${passed.join(', ')}`);
  }
  const problems = [...findProblems(ProjectPreferences, complete), ...findTextProblems(complete)];
  if (problems.length > 0) {
    throw usageError('the preferences do not fit the interface document', {
      reason: problems.map(({ path, message }) => `${path}: ${message}`).join('\n'),
    });
  }
  return { preferences: complete as ProjectPreferences, notes, lookGiven };
}

/** Objects that hold nothing are not sent. */
function dropEmpty(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
    .map(([key, value]): [string, unknown] => [key, isPlainObject(value) ? dropEmpty(value) : value])
    .filter(([, value]) => !(isPlainObject(value) && Object.keys(value).length === 0));
  return Object.fromEntries(entries);
}

/** A prompt works only with ClipAnything: without a model anywhere it selects it. */
function chooseModel(preferences: JsonObject, notes: string[]): JsonObject {
  const model = memberAt(preferences, 'curationPref.model');
  if (memberAt(preferences, 'curationPref.customPrompt') === undefined) return preferences;
  if (model === undefined) {
    notes.push('the prompt selects the model ClipAnything');
    return mergePreferences([preferences, objectAt('curationPref.model', 'ClipAnything')]);
  }
  if (model === 'ClipAnything') return preferences;
  throw usageError(`a prompt works only with the model ClipAnything, not with ${String(model)}`, {
    hint: 'add --model ClipAnything, or leave --prompt away',
  });
}

function checkCuration(preferences: JsonObject, notes: string[]): void {
  const curation = memberAt(preferences, 'curationPref');
  if (!isPlainObject(curation)) return;
  const { topicKeywords, model, clipDurations, range, enableAutoHook, skipCurate, skipSlicing } = curation;
  if (Array.isArray(topicKeywords) && topicKeywords.length > 0 && model === 'ClipAnything') {
    throw usageError('keywords work only with the model ClipBasic', {
      hint: 'say it in --prompt instead, or leave --model (and --prompt) away',
    });
  }
  if (isPlainObject(range)) checkRange(range);
  for (const pair of Array.isArray(clipDurations) ? clipDurations : []) {
    if (!Array.isArray(pair)) continue;
    const [min, max] = pair;
    if (!(min >= 0 && min < max)) {
      throw usageError(`a clip of ${min}-${max} seconds cannot be`, {
        hint: 'the minimum must be below the maximum',
      });
    }
    if (!DOCUMENTED_CLIP_DURATIONS.some(([low, high]) => low === min && high === max)) {
      const known = DOCUMENTED_CLIP_DURATIONS.map((documented) => documented.join('-')).join(', ');
      notes.push(
        `duration ${min}-${max} is not one of the documented ones (${known}); the service may treat it otherwise`,
      );
    }
  }
  if (enableAutoHook === true && (skipCurate === true || skipSlicing === true)) {
    notes.push('the automatic hook has no effect with skip-curate or skip-slicing');
  }
}

function checkRange({ startSec, endSec }: JsonObject): void {
  if (typeof startSec !== 'number' || typeof endSec !== 'number') {
    throw usageError('curationPref.range needs both startSec and endSec', {
      hint: 'leave the range away for the whole video',
    });
  }
  if (!(startSec >= 0 && startSec < endSec)) {
    throw usageError(`the range ${startSec}-${endSec} is no span`, {
      hint: 'its start must be 0 or more and before its end',
    });
  }
}

/** With all members the schema requires; `enableVisualHook` goes out as false in any case, it is deprecated. */
function completeRender(given: JsonObject, renderSend: 'complete' | 'partial'): JsonObject {
  if (renderSend === 'complete') return mergePreferences([DEFAULT_RENDER, given]);
  const partial: JsonObject = { ...given, enableVisualHook: false };
  if (isPlainObject(given.font)) partial.font = mergePreferences([DEFAULT_RENDER.font, given.font]);
  if (isPlainObject(given.highlightColor)) {
    partial.highlightColor = mergePreferences([DEFAULT_RENDER.highlightColor, given.highlightColor]);
  }
  return partial;
}
