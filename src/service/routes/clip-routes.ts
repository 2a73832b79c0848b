import { viewClip } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { listClips } from '../store/clips.js';
import { requireProject } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

/** A clip is listed as soon as it is rendered, also while the project goes on. */
export function createClipRoutes(context: ServiceContext): Pick<RouteHandlers, 'listClips'> {
  return {
    listClips({ query, baseUrl }) {
      const { projectId } = requireProject(context.db, query.projectId);
      return listClips(context.db, projectId)
        .filter((clip) => clip.file !== null)
        .map((clip) => viewClip(clip, context, baseUrl));
    },
  };
}
