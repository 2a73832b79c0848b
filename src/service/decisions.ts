/**
 * Where the interface document shows nothing, the local service had to choose. Each choice is made once, here in
 * words (`help service` prints them) and in the named file in code. Another service may have chosen otherwise.
 */
export const DECISIONS = [
  {
    about: 'subtitles beside the video',
    choice:
      "read from the folder subtitles of the data directory, called like the project's title or the address's file",
    file: 'pipeline/sidecar.ts',
  },
  {
    about: 'upload link',
    choice: 'answers 200; useAmount and totalAmount are 0; a link and a session live 7 days',
    file: 'storage/storage.ts',
  },
  {
    about: 'end of an upload',
    choice: '200 with x-storage-stored-content-length and x-storage-hash: sha256=<hex>',
    file: 'storage/storage.ts',
  },
  {
    about: 'two writers of one upload',
    choice: 'the newer takes over, the older connection is cut, its bytes are kept',
    file: 'storage/sessions.ts',
  },
  {
    about: 'overlapping bytes of an upload',
    choice: 'the newer replace everything from their first byte on',
    file: 'storage/take-body.ts',
  },
  {
    about: 'a second start of a finished upload',
    choice: '409; its cancel is 409 too',
    file: 'storage/storage.ts',
  },
  {
    about: 'a full disk',
    choice:
      '507 from the storage, what was received is kept; 503 from the interface for what cannot be written; a project is STALLED after its tries, and its error says so; everything goes on once there is room',
    file: 'disk-full.ts',
  },
  {
    about: 'error statuses',
    choice:
      '400 InvalidRequest, 401 Unauthorized, 403 QuotaExceed, 404 NotFound, 405 MethodNotAllowed, 408, 409 Conflict, 413 PayloadTooLarge, 415 UnsupportedMediaType, 421 MisdirectedRequest, 431, 500 InternalError, 503 Unavailable',
    file: 'app.ts',
  },
  { about: 'unknown members of a request', choice: 'refused with 400, named by their path', file: 'app.ts' },
  {
    about: 'size of a request',
    choice: '1 MiB of JSON, 16 KiB of headers, whole within 30 s',
    file: 'http-server.ts',
  },
  {
    about: 'owner and tier',
    choice: 'local-user, local-org, LOCAL; storage never expires; every permission is given',
    file: 'project-view.ts',
  },
  {
    about: 'members of a project of our own',
    choice: 'title, progress {stage, fraction, message} while it runs, notes',
    file: 'project-view.ts',
  },
  {
    about: 'videoUrl',
    choice: 'http(s) address, or id of a complete upload (unknown 404, incomplete 409)',
    file: 'routes/project-routes.ts',
  },
  {
    about: 'x-service-upload-id',
    choice: 'may be left out; another id than videoUrl is 400',
    file: 'routes/project-routes.ts',
  },
  { about: 'brandTemplateId', choice: 'accepted without effect, said in notes', file: 'pipeline/stages.ts' },
  {
    about: 'stages',
    choice:
      'QUEUED, IMPORT, CURATE, REFINE, RENDER, UPLOAD, COMPLETE; one project at a time; unfinished ones go on after a restart',
    file: 'pipeline/stages.ts',
  },
  {
    about: 'failure',
    choice:
      'bad input is STALLED at once, anything else after 3 tries, or when the service itself died 10 times in one stage; stallCount counts failed tries',
    file: 'pipeline/project-worker.ts',
  },
  {
    about: 'videos by address',
    choice:
      'direct links up to 10 GB and 6 hours; private and loopback addresses refused unless --allow-private-imports',
    file: 'pipeline/fetch-link.ts',
  },
  {
    about: 'videos of web pages',
    choice:
      'with yt-dlp when it is on the PATH, else STALLED; the same limits; the first video of a playlist, nothing live, 1080p at most; without its configuration files; it and what it starts is told to go through a proxy that refuses private and loopback addresses',
    file: 'pipeline/download-page.ts',
  },
  {
    about: 'words of a video',
    choice:
      'its embedded subtitles, in the language of sourceLang when it is named; else what whisper.cpp hears, when CLIPCTL_WHISPER_MODEL names a model; none otherwise, said in notes',
    file: 'media/words.ts',
  },
  {
    about: 'a video that was cut off',
    choice: 'used as far as picture and sound go, said in notes; with nothing to read it is STALLED at once',
    file: 'media/cut-off.ts',
  },
  {
    about: 'size of the picture',
    choice: 'as many pixels as 8192 × 4320 has; more is STALLED at once',
    file: 'media/probe.ts',
  },
  {
    about: 'skipCurate',
    choice: 'one clip of the whole video; range and what else chooses moments has no effect, said in notes',
    file: 'media/choose-moments.ts',
  },
  {
    about: 'clips',
    choice: 'listed as soon as rendered; PUBLIC and DEFAULT are stored and change nothing here',
    file: 'routes/clip-routes.ts',
  },
  {
    about: 'clips whose files were lost',
    choice:
      'not listed; 409 for exports, schedules and jobs; the next start of the service makes them again when the source video is there (the project goes back to RENDER, and its conclusion is not told again), said in notes',
    file: 'pipeline/lost-clips.ts',
  },
  {
    about: 'download addresses',
    choice: 'signed, work without the key for 48 hours (then 410), always the newest version of the clip',
    file: 'signed-address.ts',
  },
  {
    about: 'social accounts',
    choice:
      'accounts.json in the data directory; any query parameter name with the value mine; optional webhookUrl is told of published posts',
    file: 'accounts-file.ts',
  },
  {
    about: 'collections',
    choice:
      '201; names of 1 to 200 characters; adding twice is added; removing what is not in it is 404; QuotaExceed beyond 1000 or serve --collection-quota',
    file: 'routes/collection-routes.ts',
  },
  {
    about: 'schedules',
    choice:
      'projectId, clipId, postAccountId and publishAt are required; published to outbox/posts/<scheduleId>; a time missed by more than a minute is late: true; cancelling twice is 200, after publishing 409',
    file: 'delivery/schedule-work.ts',
  },
  {
    about: 'censor jobs',
    choice:
      '200; QUEUED, PROCESSING, CONCLUDED (with error when it failed); words of censor-words.txt in the data directory, else a default list; beepSound is true unless false; captions are rendered again; what earlier jobs took out stays out',
    file: 'pipeline/censor-runner.ts',
  },
  {
    about: 'social copy',
    choice:
      'GET /api/social-copy-jobs/{jobId}: title, description, hashtags, text, madeBy, cached; word statistics, or the program named in CLIPCTL_COPY_COMMAND: {clipId, title, text, platform, prompt} on its stdin, {title, description, hashtags} from its stdout; 2 minutes and 1 MiB; three tries when it fails; it is not handed the API key',
    file: 'pipeline/copy-runner.ts',
  },
  {
    about: 'webhook signature',
    choice:
      'hex HMAC-SHA256 with the API key over raw body + salt; salt 8 random bytes in hex; timestamp in Unix seconds, refused after 5 minutes',
    file: '../api/webhook-signature.ts',
  },
  {
    about: 'webhook body',
    choice:
      '{event: project.completed or project.failed, deliveryId, projectId, stage, error, concludedAt, project, clips}; x-service-delivery repeats the deliveryId',
    file: 'delivery/conclusion.ts',
  },
  {
    about: 'webhook retries',
    choice:
      'at least once: any answer but 2xx is tried again after 1 s, 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h; 410 never; 15 s each; redirects are not followed; addresses of this machine are allowed',
    file: 'delivery/delivery-work.ts',
  },
  {
    about: 'deliveries at once',
    choice: '8 receivers at once, one thing at a time for each; all e-mails are one receiver',
    file: 'delivery/delivery-work.ts',
  },
  {
    about: 'e-mail',
    choice:
      'written to outbox/mail/<deliveryId>.eml; sent by SMTP when CLIPCTL_SMTP_URL names a server, tried again as webhooks are, never after a 5xx; with a password TLS is required but for this machine, unless ?ignoreTLS=true or the like says otherwise',
    file: 'delivery/mail.ts',
  },
  {
    about: 'what is removed by itself',
    choice:
      'at start and every hour: files that nothing speaks of, once an hour old; unfinished uploads after 7 days (answered 410, after 7 more 404); work files of a project 7 days after anything was done with it; never videos, clips, posts or e-mails',
    file: 'sweep.ts',
  },
] as const satisfies readonly { about: string; choice: string; file: string }[];
