/** Topics that are prose. What they say is checked against the program where it can be (test/comfort/help.test.ts). */

export const OUTPUT_TEXT = `What is printed where

stdout is the result and nothing else; progress, notes, questions, next steps and errors go to stderr. A command that
makes one thing prints its id:

  ID=$(clipctl upload talk.mp4)

A list is an aligned table with a header on a terminal, and in a pipe lines with tabs between, without a header. Times
are relative on a terminal and ISO 8601 in a pipe.

  --json            one JSON document on stdout; an error is one JSON line on stderr, and stdout stays empty
                    {"error":{"code","exitCode","message","hint","httpStatus","errorName","errorMessage","requestId"}}
  --query <expr>    filters the JSON by a JMESPath expression; a text is printed bare
                    clipctl project get P123 --query stage
                    one that does not suit the result prints the whole result, with a warning
  --quiet           no notes and no progress; warnings and errors stay
  --verbose         a line a request; CLIPCTL_DEBUG=1 adds headers and bodies, secrets redacted
  --dry-run         the requests that would be sent, as JSON; no key and no network are needed
  --progress json   of upload: its events as JSON lines on stderr

Values from the service come back unchanged under --json, members this version does not know included. Everywhere
else control characters and escape sequences in them are made visible. Colour: NO_COLOR, FORCE_COLOR, TERM=dumb and
--no-color are honoured. A closed pipe (clipctl … | head) is no error.
`;

export const TIME_TEXT = `Times

--at of schedule create is one of

  2030-01-31T09:00:00+01:00     RFC 3339, with its offset
  2030-01-31T09:00 --tz Europe/Berlin
                                local time, with an IANA time zone
  +90m  +2h  +1d                from now

A time without an offset and without --tz is refused: it would be a guess. So are dates that do not exist (30
February), local times that a clock change skips or repeats, and times in the past: a post is never published at once
by mistake. It is sent as UTC, and said back on stderr in both zones. It is counted by this machine's clock; clipctl
doctor compares that with the service's.

Durations (--timeout, --wait-timeout): 500ms, 60s, 2m, 1h30m. Places in a video (--range, --start, --end): 90, 90s,
1:30, 01:02:03. Lengths of clips (--duration): 30-60, 1m-1m30s.

history list --since: 12h, 7d, 2026-11-01 (from that day's start here), or a full ISO time. TZ sets the zone that
times are shown in.
`;

export const IDS_TEXT = `Ids

  projectId      printed by upload and project create
  uploadId       printed by upload --no-create; project create --upload-id makes the project
  clip           its full id is {projectId}.{curationId}, split at the first dot; clip list <projectId> prints them
  collectionId   printed by collection create
  jobId          printed by censor create and copy create
  scheduleId     printed by schedule create
  accounts       accounts list prints the id that --account takes

<clip> is the full id, or a bare id with --project or CLIPCTL_PROJECT. An id that contradicts --project is refused;
against CLIPCTL_PROJECT the full id wins. - in the place of clips reads ids from stdin, one a line or JSON lines:

  clipctl clip list P123 | cut -f1 | clipctl collection add L1 -

The interface document does not describe what finds clips and looks at projects and copy jobs. A service that offers
it at other paths is told so:

  clipctl config set endpoints.project-get '/api/projects/{projectId}'        project get and wait
  clipctl config set endpoints.clip-list '/api/clips?project={projectId}'     clip list and download
  clipctl config set endpoints.copy-get '/api/copy-jobs/{jobId}'              copy get

--wait uses them too. clipctl config list shows the paths in use; clipctl config unset goes back to the usual ones.

The service offers no lists of what was created, so clipctl writes it down: clipctl history list finds ids again.
Completion proposes them.
`;

export const UPLOADS_TEXT = `Uploads

All local checks on all files come before the first request. Each file is then sent to the storage, and its project
created once the storage has all of it.

What was accepted is kept on disk as the upload runs. When the network breaks, the upload goes on by itself where the
storage stopped; after a kill or a reboot the same command does. It says so on stderr: resuming at A of B. The place
to go on is always the storage's own answer, never a guess. A file that changed meanwhile is never mixed with its
older bytes: the upload is refused or starts afresh, and says which.

  clipctl uploads list                    what is unfinished here
  clipctl uploads resume                  goes on with all of it
  clipctl uploads forget <id|path>        gives one up
  clipctl upload talk.mp4 --restart       starts at the first byte

  --concurrency <n>   files at the same time (2)         --limit-rate 4MiB   for the whole process, a second
  --retries <n>       tries without progress (4)         --recursive         the videos of folders

Exit code 9: not finished, run the same command again. 10: the project's creation was sent and its answer was lost;
it is not sent again by itself, because that could make a second project. 12: of several files some failed.
`;

export const SECURITY_TEXT = `The key, and other secrets

The API key comes from --api-key-file, CLIPCTL_API_KEY, CLIPCTL_API_KEY_FILE, or from clipctl auth login, which asks
for it (masked) or reads it from stdin (--with-token) and checks it. No flag takes the key itself: others could read
it in the list of processes. A .env file is not read.

A stored key has mode 0600 and is bound to the base address it was saved for: for another address it is not used. The
key goes to the base address only, never to upload, download or export addresses, and redirects of the API are not
followed. https is required but for addresses of this machine, unless config allow_http says otherwise.

Shown are at most its last four characters. It is never in the history, the state of uploads, dry runs and debug
output; neither are addresses that work without a key.

Webhooks: webhook listen and webhook verify judge signatures by the local service's scheme (hex HMAC-SHA256 with the
API key over the body followed by the salt), because the interface document shows only the names of the headers.
`;
