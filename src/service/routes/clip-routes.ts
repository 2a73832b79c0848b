import { viewClip } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { listClips } from '../store/clips.js';
import { hasClipFile, requireProject } from './find-or-refuse.js';
import type { RouteHandlers } from './route-types.js';

/** A clip is listed as soon as it is rendered, also while the project goes on; one whose file was lost is not. */
export function createClipRoutes(context: ServiceContext): Pick<RouteHandlers, 'listClips'> {
  return {
    async listClips({ query, baseUrl }) {
      const { projectId } = requireProject(context.db, query.projectId);
      const clips = listClips(context.db, projectId);
      const areThere = await Promise.all(clips.map((clip) => hasClipFile(clip, context.paths)));
      return clips.filter((_, index) => areThere[index]).map((clip) => viewClip(clip, context, baseUrl));
    },
  };
}
