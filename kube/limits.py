"""Every limit on untrusted input: bytes, depth, count, seconds, memory.

Untrusted is every input that the console doesn't control: of a browser, a catalog, an image registry, an author of a
CRD, a Pod, an API server. Modules use a limit as `limits.REQUEST_BODY.value`; none holds such a number of its own.
docs/security.md prints the table.
"""

from dataclasses import dataclass

from structural import patterns
from untrusted import json_bounds, yaml_bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit.

    `value` is in `unit` ("bytes", "levels", "items", "seconds", "steps"); `over`: what happens beyond it.
    """

    subject: str
    value: int
    unit: str
    over: str
    #: The test that goes past it, as `path::name`.
    test: str


#: Lists are asked for in pages, but for the catalogs of OLM v1, which come whole: the largest has 150 MiB.
API_ANSWER = Limit(
    subject="an answer of the API server",
    value=256 * 2**20,
    unit="bytes",
    over="the connection is closed; 502, the cluster's fault",
    test="tests/kube/test_answers.py::test_s10_an_endless_answer_ends",
)
API_ANSWER_SECONDS = Limit(
    subject="an answer of the API server, from its first byte to its last",
    value=120,
    unit="seconds",
    over="the connection is closed; 502, the cluster's fault",
    test="tests/kube/test_answers.py::test_s10_an_answer_that_trickles_ends",
)
#: A kubelet's are of 32 KiB.
API_MESSAGE = Limit(
    subject="a message of the API server in a terminal or port-forward",
    value=16 * 2**20,
    unit="bytes",
    over="the terminal or the forwarded connection ends",
    test="tests/kube/test_channels.py::test_s10_a_message_without_an_end_ends_the_connection",
)
#: A token has 1 to 8 KiB.
PLUGIN_OUTPUT = Limit(
    subject="what a kubeconfig's credential plugin prints",
    value=256 * 1024,
    unit="bytes",
    over="the plugin is ended; 503, the plugin's fault",
    test="tests/kube/test_plugins.py::test_output_without_an_end_ends",
)
PLUGIN_SECONDS = Limit(
    subject="a run of a kubeconfig's credential plugin",
    value=15,
    unit="seconds",
    over="the plugin is ended; 503, the plugin's fault",
    test="tests/kube/test_plugins.py::test_a_plugin_that_hangs_is_ended_once_for_all",
)
WATCH_EVENT = Limit(
    subject="one event of a watch",
    value=32 * 2**20,
    unit="bytes",
    over="the watch ends and is restarted, with back-off",
    test="tests/kube/test_answers.py::test_s10_a_watch_event_without_an_end_ends",
)


LOG_LINE = Limit(
    subject="a line of a log on a page",
    value=64 * 1024,
    unit="bytes",
    over="cut while it is read, and said at its end; the raw log has all of it",
    test="tests/kube/test_log_lines.py::test_s5_a_line_without_an_end_takes_no_memory",
)
LOG_PAGE = Limit(
    subject="the lines of a log that stand in a page itself",
    value=4 * 2**20,
    unit="bytes",
    over="the kubelet sends no more (limitBytes); said on the page",
    test="tests/kube/test_log_lines.py::test_s5_a_page_asks_for_so_much_and_no_more",
)
LOGS_PAGE = Limit(
    subject="the same of several containers together",
    value=16 * 2**20,
    unit="bytes",
    over="each container gets its share (limitBytes); said on the page",
    test="tests/resources/test_merged_logs.py::test_s5_many_logs_share_their_limit",
)


YAML_LEVELS = Limit(
    subject="levels of lists and mappings in YAML",
    value=yaml_bounds.LEVELS,
    unit="levels",
    over="refused with its line, before anything is composed",
    test="tests/untrusted/test_yaml_bounds.py::test_s2_no_depth_ends_the_process",
)
YAML_VALUES = Limit(
    subject="keys and values of a YAML text, aliases and merge keys written out",
    value=yaml_bounds.VALUES,
    unit="values",
    over="refused with its line",
    test="tests/untrusted/test_yaml_bounds.py::test_s10_nothing_grows_by_aliases_or_merge_keys",
)
JSON_LEVELS = Limit(
    subject="levels of lists and mappings in JSON",
    value=json_bounds.LEVELS,
    unit="levels",
    over="refused (400), or the cluster's fault (502)",
    test="tests/untrusted/test_json_bounds.py::test_s10_deep_json_is_a_value_error",
)
#: An object with all levels of JSON_LEVELS, in a list and with its managedFields, which have a level more for each
#: field and five around.
ANSWER_LEVELS = Limit(
    subject="levels of lists and mappings in an answer of the API server",
    value=json_bounds.LEVELS + 20,
    unit="levels",
    over="refused (502), and why; lists have its row all the same",
    test="tests/kube/test_answers.py::test_s10_a_deep_object_leaves_the_rest_of_its_list_readable",
)
PATTERN_MEMORY = Limit(
    subject="what a schema's pattern needs, compiled by RE2",
    value=patterns.MEMORY_BYTES,
    unit="bytes",
    over="no pattern: the API server refuses such a schema",
    test="tests/structural/test_patterns.py::test_s4_a_pattern_too_large_for_its_memory_is_none",
)
#: The longest of 297 real bundles has 33,660.
MARKDOWN = Limit(
    subject="an operator's description",
    value=100_000,
    unit="characters",
    over="cut, and said below it",
    test="tests/console/test_markdown.py::test_s10_long_texts_are_cut_and_say_so",
)
HELP_MARKDOWN = Limit(
    subject="a field's description",
    value=20_000,
    unit="characters",
    over="cut, and said below it",
    test="tests/console/test_markdown.py::test_s10_long_texts_are_cut_and_say_so",
)
FETCHED = Limit(
    subject="what an address of the web answers",
    value=512 * 2**20,
    unit="bytes",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_fetch.py::test_limits",
)
FETCHED_SECONDS = Limit(
    subject="the same, from the first byte to the last",
    value=180,
    unit="seconds",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_fetch.py::test_an_address_that_trickles_ends",
)
ARCHIVE = Limit(
    subject="an archive or image of a catalog, unpacked",
    value=2**30,
    unit="bytes",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_catalogs_archive_is_bounded",
)
ARCHIVE_FILES = Limit(
    subject="files of it",
    value=100_000,
    unit="files",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_catalogs_archive_is_bounded",
)
ARCHIVE_STREAM = Limit(
    subject="what is unpacked of it, also what is not kept",
    value=8 * 2**30,
    unit="bytes",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_catalogs_archive_is_bounded",
)
#: Manifests are packed to a tenth or twentieth.
ARCHIVE_RATIO = Limit(
    subject="how many times its packed size that may be",
    value=100,
    unit="times",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_s10_small_archives_that_become_huge_are_refused",
)
ARCHIVE_UNJUDGED = Limit(
    subject="what any archive may unpack to, however small it is",
    value=16 * 2**20,
    unit="bytes",
    over="the ratio above counts",
    test="tests/operatorhub/sources/test_bounds.py::test_s10_small_archives_that_become_huge_are_refused",
)
ARCHIVE_SECONDS = Limit(
    subject="unpacking all archives of one source",
    value=120,
    unit="seconds",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_every_budget_ends",
)
IMAGE_LAYERS = Limit(
    subject="layers of an image",
    value=128,
    unit="layers",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_an_image_is_bounded",
)
IMAGE_LAYER = Limit(
    subject="a layer, packed",
    value=2**30,
    unit="bytes",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_an_image_is_bounded",
)
IMAGE_MANIFEST = Limit(
    subject="an image's manifest",
    value=4 * 2**20,
    unit="bytes",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_an_image_is_bounded",
)
IMAGE_CONFIG = Limit(
    subject="an image's configuration, which has its labels",
    value=4 * 2**20,
    unit="bytes",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_an_image_is_bounded",
)
IMAGE_SECONDS = Limit(
    subject="all layers of an image, from the first byte to the last",
    value=240,
    unit="seconds",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_a_slow_registry_ends",
)
ZSTD_WINDOW = Limit(
    subject="memory that a layer packed with zstd asks for",
    value=128 * 2**20,
    unit="bytes",
    over="the image is not read, and why",
    test="tests/operatorhub/sources/test_image.py::test_a_zstd_window_is_bounded",
)
#: No object is larger than 3 MiB; the largest file of 273 real packages has 2.4 MB.
MANIFEST_FILE = Limit(
    subject="a file of a bundle's folder",
    value=4 * 2**20,
    unit="bytes",
    over="the file is left out, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_s10_a_file_larger_than_any_object_is_left_out",
)
CATALOG_BLOB = Limit(
    subject="an object or document of a file-based catalog",
    value=32 * 2**20,
    unit="bytes",
    over="left out, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_blob_larger_than_any_is_left_out",
)
RUN_BYTES = Limit(
    subject="what is given to run a bundle, unpacked",
    value=16 * 2**20,
    unit="bytes",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_s10_small_archives_that_become_huge_are_refused",
)
CATALOG_UPLOAD = Limit(
    subject="an uploaded catalog, packed",
    value=256 * 2**20,
    unit="bytes",
    over="refused (422), and why",
    test="tests/operatorhub/test_own_catalogs.py::test_an_upload_that_is_too_large_is_refused",
)
RUN_FILES = Limit(
    subject="files of it",
    value=2_000,
    unit="files",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_bundle_of_too_many_files_is_refused",
)
RUN_SECONDS = Limit(
    subject="reading it while a user waits",
    value=15,
    unit="seconds",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_s10_reading_for_a_page_ends_in_time",
)
RUN_CARRIED = Limit(
    subject="the bundle in the page, packed",
    value=8 * 2**20,
    unit="bytes",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_a_bundle_that_no_page_can_carry_is_refused",
)
RESTORE_BYTES = Limit(
    subject="an export that is imported, unpacked",
    value=8 * 2**20,
    unit="bytes",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_an_export_that_is_too_large_is_refused",
)
RESTORE_FILES = Limit(
    subject="files of it",
    value=600,
    unit="files",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_an_export_of_too_many_files_is_refused",
)
OLM_MANIFEST = Limit(
    subject="manifests of OLM itself",
    value=16 * 2**20,
    unit="bytes",
    over="refused, and why",
    test="tests/operatorhub/sources/test_bounds.py::test_manifests_of_olm_are_bounded",
)
PACKED_MANIFEST = Limit(
    subject="a manifest that an unpacking job wrote, unpacked",
    value=4 * 2**20,
    unit="bytes",
    over="cut, so no manifest: left out",
    test="tests/operatorhub/sources/test_bounds.py::test_a_packed_manifest_is_bounded",
)


def all_limits() -> dict[str, Limit]:
    """Name → limit, in the order in which they are written here."""
    return {name: value for name, value in globals().items() if isinstance(value, Limit)}


# Requests: read on the event loop before a page thread is taken (console/web/http_protocol.py,
# console/web/request_body.py).
_REQUESTS = "tests/console/test_requests.py::"

REQUEST_HEADER_BYTES = Limit(
    subject="Request line and headers of one request",
    value=64 * 1024,
    unit="bytes",
    over="431, and the connection is closed",
    test=f"{_REQUESTS}test_s10_headers_over_the_limit_are_answered_431",
)
REQUEST_HEADER_SECONDS = Limit(
    subject="Time until a connection has sent all headers of its request",
    value=20,
    unit="seconds",
    over="408, and the connection is closed",
    test=f"{_REQUESTS}test_s3_headers_have_a_deadline",
)
REQUEST_BODY_BYTES = Limit(
    subject="Body of one request, except uploads of files",
    value=16 * 1024 * 1024,
    unit="bytes",
    over="413",
    test=f"{_REQUESTS}test_s3_a_body_over_the_limit_is_answered_413",
)
REQUEST_UPLOAD_BYTES = Limit(
    subject="Body of one upload (multipart/form-data)",
    value=257 * 1024 * 1024,
    unit="bytes",
    over="413",
    test=f"{_REQUESTS}test_s3_a_body_over_the_limit_is_answered_413",
)
REQUEST_BODY_SECONDS = Limit(
    subject="Time until the body of a request has arrived, beside one second for each 64 KiB of it",
    value=30,
    unit="seconds",
    over="408, and the connection is closed",
    test=f"{_REQUESTS}test_s3_a_body_has_a_deadline",
)
REQUEST_BODIES_BYTES = Limit(
    subject="Bodies of all requests of one web process at once, except the first 64 KiB of each",
    value=384 * 1024 * 1024,
    unit="bytes",
    over="503 with Retry-After; smaller bodies are still taken",
    test=f"{_REQUESTS}test_s3_bodies_of_all_requests_share_one_limit",
)
RESPONSE_STALL_SECONDS = Limit(
    subject="Time in which a client reads nothing of its response",
    value=60,
    unit="seconds",
    over="the connection is closed",
    test=f"{_REQUESTS}test_s3_a_client_that_reads_nothing_is_disconnected",
)
#: One at a time: a connection isn't read on before its program has taken the last.
WEBSOCKET_MESSAGE_BYTES = Limit(
    subject="Message of a terminal's WebSocket, in one frame or many, unpacked",
    value=16 * 1024 * 1024,
    unit="bytes",
    over="closed with 1009 (message too big)",
    test=f"{_REQUESTS}test_s10_a_websocket_message_over_the_limit_is_closed_1009",
)
FORWARDED_BODY_BYTES = Limit(
    subject="Body of one request to a forwarded page (/forwarded/)",
    value=32 * 1024 * 1024,
    unit="bytes",
    over="413",
    test="tests/resources/views/test_pod_proxy.py::test_a_body_over_the_limit_is_refused",
)


# Forms, pages and live updates.
FORM_FIELDS = Limit(
    subject="fields of one form",
    value=200_000,
    unit="fields",
    over="413",
    test="tests/resources/views/test_trouble.py::test_more_than_the_console_takes_is_said",
)
#: A bundle of a large operator has some forty.
IMPORT_DOCUMENTS = Limit(
    subject="documents of one import of YAML",
    value=500,
    unit="documents",
    over="refused, and why",
    test="tests/attacks/test_limits.py::test_an_import_has_so_many_documents",
)
IMPORT_UNDO = Limit(
    subject="what takes an import back, carried by the page, packed",
    value=4 * 2**20,
    unit="bytes",
    over="the import can't be undone",
    test="tests/attacks/test_limits.py::test_what_takes_an_import_back_is_bounded",
)
BULK_OBJECTS = Limit(
    subject="objects of one bulk action",
    value=1000,
    unit="objects",
    over="refused, and why",
    test="tests/resources/views/test_bulk.py::test_too_many_are_said_before_anything_is_done",
)
LIST_OBJECTS = Limit(
    subject="a list that is searched, sorted or counted as a whole",
    value=100_000,
    unit="objects",
    over="the rest isn't searched; said on the page",
    test="tests/resources/views/test_list.py::test_beyond_what_is_searched_the_page_says_so",
)
_STREAM_TEST = "tests/resources/stream/test_post.py::test_a_subscription_that_cannot_be_served"
#: A page shows a handful of topics, twenty tabs some hundred.
STREAM_TOPICS = Limit(subject="topics of one stream", value=200, unit="topics", over="400", test=_STREAM_TEST)
#: A page shows 50 to 200.
STREAM_ROWS = Limit(
    subject="rows and names that one stream lists", value=5000, unit="rows", over="400", test=_STREAM_TEST
)
STREAM_BODY_BYTES = Limit(
    subject="what a page asks of a stream", value=256 * 1024, unit="bytes", over="413", test=_STREAM_TEST
)
UNDO_OBJECT = Limit(
    subject="an object that is kept for an undo, packed",
    value=2_000_000,
    unit="bytes",
    over="the change can't be undone",
    test="tests/attacks/test_limits.py::test_an_object_too_large_is_not_kept_for_an_undo",
)
#: etcd takes objects of 1.5 MB.
RECORDED_ANSWER = Limit(
    subject="an object that a request read and remembers, to say what its change changed",
    value=3_000_000,
    unit="bytes",
    over="the audit doesn't say what was changed",
    test="tests/attacks/test_limits.py::test_an_answer_too_large_is_not_remembered",
)
ICON = Limit(
    subject="an operator's icon",
    value=512 * 1024,
    unit="bytes",
    over="no icon",
    test="tests/operatorhub/test_icons.py::test_what_is_no_icon_is_left_out",
)
#: A picture of few bytes may claim billions.
ICON_PIXELS = Limit(
    subject="the picture of an icon",
    value=4096 * 4096,
    unit="pixels",
    over="not made smaller: served as it is",
    test="tests/operatorhub/test_thumbnails.py::test_small_broken_and_huge_ones_stay_as_they_are",
)


# What people keep and hold open.
_HERE = "tests/attacks/test_limits.py::"

IMPORT_UNDO_UNPACKED = Limit(
    subject="the same, unpacked",
    value=64 * 2**20,
    unit="bytes",
    over="refused, and why",
    test=f"{_HERE}test_what_takes_an_import_back_is_bounded_unpacked",
)
LIST_COLUMNS = Limit(
    subject="chosen columns of one list",
    value=30,
    unit="columns",
    over="the others aren't shown",
    test=f"{_HERE}test_columns_of_a_list_are_bounded",
)
LIST_COLUMN = Limit(
    subject="the name of one of them",
    value=400,
    unit="characters",
    over="cut",
    test=f"{_HERE}test_columns_of_a_list_are_bounded",
)
LIST_FILTER = Limit(
    subject="each filter in the address of a list",
    value=2000,
    unit="characters",
    over="cut",
    test=f"{_HERE}test_filters_of_a_list_are_bounded",
)
FAVOURITES = Limit(
    subject="favourites of one person on one cluster",
    value=50,
    unit="objects",
    over="refused, and why",
    test="tests/resources/views/test_favourites.py::test_bad_input",
)
RECENT_OBJECTS = Limit(
    subject="recent objects of one person on one cluster",
    value=20,
    unit="objects",
    over="the oldest is forgotten",
    test="tests/resources/views/test_favourites.py::test_what_was_looked_at_is_bounded",
)
SAVED_SEARCHES = Limit(
    subject="saved searches of one person on one cluster",
    value=100,
    unit="searches",
    over="refused (422), and why",
    test="tests/resources/views/test_saved_searches.py::test_there_is_an_end_to_them_and_odd_numbers_delete_nothing",
)
SAVED_SEARCH = Limit(
    subject="the filters of one of them",
    value=4000,
    unit="characters",
    over="refused (422), and why",
    test=f"{_HERE}test_a_saved_search_is_bounded",
)
#: The API server takes it in a header; a token with many groups in it is long.
SIGN_IN_TOKEN = Limit(
    subject="a token for signing in",
    value=16_000,
    unit="characters",
    over="refused (422, of programs 401); the cluster isn't asked",
    test=f"{_HERE}test_a_token_is_bounded",
)
OPEN_AT_ONCE = Limit(
    subject="streams, watches, followed logs and terminals of one person in one web process",
    value=64,
    unit="connections",
    over="429 with Retry-After",
    test="tests/console/signin/test_bounds.py::test_too_many_streams_are_told_so_and_others_are_not_held_up",
)
OLDER_PAGE = Limit(
    subject="a page that is kept for the time in which its cluster does not answer",
    value=512 * 1024,
    unit="bytes",
    over="not kept: while the cluster is silent only the page's frame is shown",
    test="tests/console/test_older_pages.py::test_a_large_page_is_not_kept",
)
PENDING_PAGE = Limit(
    subject="a page that is being made while its cluster does not answer",
    value=4 * 2**20,
    unit="bytes",
    over="made once more when its browser asks again",
    test="tests/console/test_soft_timeout.py::test_o16_pages_that_nobody_comes_back_for_are_bounded",
)
PENDING_PAGES = Limit(
    subject="such pages of one web process",
    value=64,
    unit="pages",
    over="the oldest is dropped, and made once more when its browser asks again",
    test="tests/console/test_soft_timeout.py::test_o16_pages_that_nobody_comes_back_for_are_bounded",
)
#: Browsers keep cookies of 4,096 bytes with their names and attributes.
COOKIE = Limit(
    subject="a cookie of preferences, or of a list's columns",
    value=3500,
    unit="characters",
    over="not kept; one that comes is cut",
    test=f"{_HERE}test_cookies_are_bounded",
)
IMPERSONATED_NAME = Limit(
    subject="the name of an impersonated user or group",
    value=200,
    unit="characters",
    over="refused at the field",
    test=f"{_HERE}test_whom_somebody_views_as_is_bounded",
)
IMPERSONATED_GROUPS = Limit(
    subject="impersonated groups",
    value=20,
    unit="groups",
    over="refused at the field",
    test=f"{_HERE}test_whom_somebody_views_as_is_bounded",
)
SAVED_NAME = Limit(
    subject="the name of a saved search",
    value=60,
    unit="characters",
    over="refused, and why",
    test=f"{_HERE}test_a_saved_search_is_bounded",
)
WARNINGS = Limit(
    subject="warnings of the API server that one answer shows",
    value=20,
    unit="warnings",
    over="the others aren't shown",
    test="tests/kube/test_warnings.py::test_a_flood_has_an_end",
)
#: Each is two connections.
TERMINALS = Limit(
    subject="terminals of one web process",
    value=200,
    unit="terminals",
    over="closed with 1013 (try again later)",
    test=f"{_HERE}test_terminals_are_bounded",
)
PORT_FORWARDS = Limit(
    subject="port-forwards of one person in one web process",
    value=50,
    unit="forwards",
    over="429, and why",
    test=f"{_HERE}test_port_forwards_are_bounded",
)
REDIRECTS = Limit(
    subject="redirects from an address of the web to the next",
    value=5,
    unit="redirects",
    over="the catalog is not read, and why",
    test="tests/operatorhub/sources/test_fetch.py::test_moods",
)
PROVIDER = Limit(
    subject="the provider's name in the filters of the catalog",
    value=200,
    unit="characters",
    over="cut",
    test=f"{_HERE}test_a_providers_name_is_bounded",
)


# What is read of an API server's lists, however long they are; and of manifests and permissions.
_READING = "tests/attacks/test_reading_limits.py::"

OVERVIEW_OBJECTS = Limit(
    subject="objects of a kind whose states the overview reads",
    value=20_000,
    unit="objects",
    over="only their number is shown",
    test=f"{_READING}test_the_overview_reads_the_states_of_so_many",
)
NAMESPACE_ROWS = Limit(
    subject="namespaces on their page",
    value=500,
    unit="namespaces",
    over="the rest is in the list of Namespaces, to which the page links",
    test="tests/clusters/test_pages.py::test_a_namespace_of_very_many_is_found",
)
OVERVIEW_WARNINGS = Limit(
    subject="warnings (Events) that the overview reads, in pages of 500",
    value=2_000,
    unit="events",
    over="the rest isn't read; said on the page",
    test=f"{_READING}test_warnings_of_the_overview_are_bounded",
)
EVENTS = Limit(
    subject="Events that the page of all events reads and searches",
    value=10_000,
    unit="events",
    over="the rest isn't searched; said on the page",
    test=f"{_READING}test_events_of_a_namespace_are_bounded",
)
OBJECT_EVENTS = Limit(
    subject="Events that an object's page reads for it and what it owns, in pages of 500",
    value=5_000,
    unit="events",
    over="the rest isn't read",
    test=f"{_READING}test_events_of_an_object_are_bounded",
)
OWNED_OBJECTS = Limit(
    subject="objects of a kind in a namespace that are read for an object's tree, in pages of 500",
    value=2_000,
    unit="objects",
    over="the rest isn't read; said on the page",
    test=f"{_READING}test_what_an_object_owns_is_read_up_to_a_bound",
)
SCANNED_PODS = Limit(
    subject="Pods of a namespace that are looked through for those that an object owns, in pages of 500",
    value=10_000,
    unit="pods",
    over="the rest isn't looked through; said on the page",
    test=f"{_READING}test_pods_are_looked_through_up_to_a_bound",
)
DELETED_OBJECTS = Limit(
    subject="objects of a kind that are read before its definition is deleted, in pages of 500",
    value=5_000,
    unit="objects",
    over="the server's own number is shown",
    test=f"{_READING}test_what_goes_with_a_kind_is_read_up_to_a_bound",
)
UNINSTALL_OBJECTS = Limit(
    subject="objects of a kind that an uninstall lists and deletes",
    value=20_000,
    unit="objects",
    over="the rest stays, or goes with its kind",
    test=f"{_READING}test_an_uninstall_reads_so_many_objects",
)
#: About 600 bytes each.
SNAPSHOT_OBJECTS = Limit(
    subject="objects of all lists that a web process keeps current",
    value=300_000,
    unit="objects",
    over="the list used longest ago is evicted, and read again on demand",
    test=f"{_READING}test_lists_in_memory_are_bounded",
)
OLM_MANIFEST_OBJECTS = Limit(
    subject="objects of OLM's manifests",
    value=500,
    unit="objects",
    over="refused, and why",
    test=f"{_READING}test_objects_of_olms_manifests_are_bounded",
)
NAMESPACE_BINDINGS = Limit(
    subject="RoleBindings, and ClusterRoleBindings, that a namespace's page Access reads",
    value=5_000,
    unit="objects",
    over="it shows those, and says that there are more",
    test="tests/resources/access/test_pages.py::test_of_thousands_of_bindings_the_first_are_read",
)
NAMESPACE_ROLES = Limit(
    subject="Roles, and ClusterRoles, that the form Give access offers by name",
    value=1_000,
    unit="objects",
    over="others can be typed",
    test="tests/resources/access/test_pages.py::test_of_thousands_of_bindings_the_first_are_read",
)
RULE_COMBINATIONS = Limit(
    subject="combinations of API groups, resources and names in a rule of a bundle's permissions",
    value=20_000,
    unit="combinations",
    over="the rule counts as one that may do everything",
    test=f"{_READING}test_a_rule_of_too_many_combinations_counts_as_everything",
)


# What is looked at to name the cause of a trouble (resources/causes/).
_CAUSES = "tests/resources/causes/test_engine.py::"

CAUSE_OBJECTS = Limit(
    subject="objects of a tree that the rules for causes look at",
    value=500,
    unit="objects",
    over="the rest isn't looked at",
    test=f"{_CAUSES}test_objects_are_bounded",
)
CAUSE_EVENTS = Limit(
    subject="Events of one object that they look at, the newest first",
    value=20,
    unit="events",
    over="the older ones aren't looked at",
    test=f"{_CAUSES}test_events_are_bounded",
)
CAUSES = Limit(
    subject="causes that are named of one object, the worst first",
    value=10,
    unit="causes",
    over="the rest isn't named",
    test=f"{_CAUSES}test_causes_are_bounded",
)
CAUSE_REQUESTS = Limit(
    subject="claims, owners and logs, of each, that are read beside the tree to name a cause",
    value=4,
    unit="objects",
    over="the rest isn't read",
    test="tests/resources/views/test_causes.py::test_requests_are_bounded",
)


# CPU and memory by metrics.k8s.io (resources/usage.py).
_USAGE = "tests/resources/usage/test_"

USAGE_SERIES = Limit(
    subject="Pods, and nodes, of a cluster whose usage of a minute is kept for an hour",
    value=2_000,
    unit="objects",
    over="the rest, by name, has no history",
    test=f"{_USAGE}samples.py::test_objects_of_a_minute_are_bounded",
)
USAGE_PODS = Limit(
    subject="Pods of one object whose history is added up",
    value=100,
    unit="pods",
    over="their usage now is shown, without a history",
    test=f"{_USAGE}history.py::test_pods_of_one_object_are_bounded",
)
USAGE_OBJECTS = Limit(
    subject="measurements of Pods and nodes that a web process keeps for the next pages",
    value=50_000,
    unit="objects",
    over="those used longest ago are evicted, and read again on demand",
    test=f"{_USAGE}measurements.py::test_what_is_kept_is_bounded",
)
