"""Which tests go past each finding of section S: the attacks themselves, as `file::test`.

Inputs that can stand in any field are in `texts.py` and `objects.py`; what needs a cluster, a process or a socket of
its own is tried beside its subject.
"""

_CONSOLE, _SIGN_IN, _HUB = "tests/console", "tests/console/signin", "tests/operatorhub"
_UNTRUSTED, _VIEWS = "tests/untrusted", "tests/resources/views"

TESTS: dict[str, tuple[str, ...]] = {
    # S1 Pods of the embedded cluster are the machine's user: loader variables, hostPath, exec
    "S1": (
        f"{_CONSOLE}/test_supervisor.py::test_s1_the_embedded_cluster_is_refused_where_people_sign_in",
        "sandbox/tests/test_confinement.py::test_s1_a_pod_reads_nothing_of_the_data_folder",
        "sandbox/tests/test_confinement.py::test_s1_a_spec_sets_no_variable_that_loads_code",
        "sandbox/tests/test_confinement.py::test_s1_a_pod_mounts_no_folder_of_the_machine",
        "sandbox/tests/test_confinement.py::test_s1_a_sub_path_stays_in_its_volume",
        "sandbox/tests/test_confinement.py::test_s1_exec_in_a_pod_reaches_nothing_else",
    ),
    # S2 deep YAML ends the process
    "S2": (
        f"{_UNTRUSTED}/test_yaml_bounds.py::test_s2_no_depth_ends_the_process",
        f"{_UNTRUSTED}/test_yaml_bounds.py::test_s2_every_reader_refuses_what_is_too_deep",
        f"{_UNTRUSTED}/test_yaml_bounds.py::test_s2_yaml_is_read_by_no_other_way",
        "tests/attacks/test_deep.py::test_s2_a_page_refuses_deep_yaml",
        "tests/attacks/test_deep.py::test_s2_catalogs_and_bundles_leave_out_what_is_deep",
    ),
    # S3 slow bodies hold up all pages
    "S3": (
        f"{_CONSOLE}/test_requests.py::test_s3_slow_bodies_without_a_session_hold_up_nobody",
        f"{_CONSOLE}/test_requests.py::test_s3_headers_have_a_deadline",
        f"{_CONSOLE}/test_requests.py::test_s3_healthz_waits_for_no_page_thread",
    ),
    # S4 patterns on which matching never ends
    "S4": (
        "tests/structural/test_patterns.py::test_s4_no_pattern_takes_for_ever",
        "tests/structural/test_patterns.py::test_s4_a_pattern_too_large_for_its_memory_is_none",
        "tests/forms/test_native.py::test_s4_patterns_are_re2s_and_no_attribute",
        "tests/e2e/test_form_patterns.py::test_s4_no_pattern_hangs_the_page",
        f"{_HUB}/test_icons.py::test_s4_no_head_of_an_icon_takes_for_ever",
        f"{_HUB}/test_icons.py::test_s4_no_drawing_takes_for_ever",
        "tests/attacks/test_own_patterns.py::test_s4_no_pattern_of_ours_takes_long",
    ),
    # S5 a log line without an end
    "S5": (
        "tests/kube/test_log_lines.py::test_s5_a_line_without_an_end_takes_no_memory",
        "tests/kube/test_log_lines.py::test_s5_a_page_asks_for_so_much_and_no_more",
        "tests/resources/test_merged_logs.py::test_s5_many_logs_share_their_limit",
    ),
    # S6 a full disk
    "S6": (
        "sandbox/tests/test_full_disk.py::test_s6_a_write_that_fails_alone_changes_nothing",
        "sandbox/tests/test_full_disk.py::test_s6_the_cluster_works_again_when_there_is_room_again",
    ),
    # S7 made-up X-Forwarded-For locks all users out
    "S7": (
        f"{_SIGN_IN}/test_way_in.py::test_s7_failures_from_many_addresses_lock_nobody_else_out",
        f"{_CONSOLE}/test_supervisor.py::test_s7_no_forwarded_address_is_believed_unless_a_setting_names_the_proxy",
    ),
    # S8 acts are pushed out of the audit
    "S8": (
        f"{_CONSOLE}/audit/test_search.py::test_s8_refused_acts_of_a_viewer_push_nobodys_acts_out",
        f"{_CONSOLE}/audit/test_search.py::test_s8_each_person_has_a_share_of_what_was_done",
    ),
    # S9 Secrets read without a trace; a former tenant's history
    "S9": (
        f"{_CONSOLE}/audit/test_acts.py::test_s9_secrets_that_the_api_hands_out_are_acts",
        f"{_CONSOLE}/audit/test_acts.py::test_s9_a_change_by_the_api_that_answers_with_a_secret_is_a_reading_too",
        f"{_CONSOLE}/audit/test_acts.py::test_s9_a_secret_that_a_refused_or_tried_change_shows_is_an_act",
        f"{_HUB}/test_import.py::test_s9_a_comparison_shows_no_value_of_a_secret",
        f"{_VIEWS}/test_api_watch.py::test_s9_a_watch_of_secrets_is_in_the_audit",
        "tests/resources/history/test_namespace_lives.py::test_s9_the_former_tenants_objects_are_not_shown",
    ),
    # S10 headers, Markdown, archives, aliases, deep JSON, endless answers
    "S10": (
        f"{_CONSOLE}/test_requests.py::test_s10_headers_over_the_limit_are_answered_431",
        f"{_CONSOLE}/test_markdown.py::test_s10_no_markdown_takes_long",
        f"{_HUB}/sources/test_bounds.py::test_s10_small_archives_that_become_huge_are_refused",
        f"{_UNTRUSTED}/test_yaml_bounds.py::test_s10_nothing_grows_by_aliases_or_merge_keys",
        f"{_UNTRUSTED}/test_yaml_bounds.py::test_s10_no_number_takes_long",
        f"{_UNTRUSTED}/test_json_bounds.py::test_s10_deep_json_is_a_value_error",
        f"{_UNTRUSTED}/test_json_bounds.py::test_s10_the_api_answers_deep_json_with_400",
        f"{_UNTRUSTED}/test_json_bounds.py::test_s10_deep_annotations_and_fields_are_unreadable",
        f"{_HUB}/sources/test_bounds.py::test_s10_deep_json_in_a_bundle_is_left_out",
        "tests/kube/test_answers.py::test_s10_an_endless_answer_ends",
        "tests/kube/test_answers.py::test_s10_a_deep_object_leaves_the_rest_of_its_list_readable",
        "tests/attacks/test_deep.py::test_s10_annotations_of_an_operator_may_be_deep",
        "tests/attacks/test_deep.py::test_s10_an_object_as_deep_as_is_taken_has_its_pages",
    ),
    # S11 a response that isn't from Kubernetes
    "S11": (
        "tests/kube/test_answers.py::test_s11_what_is_no_kubernetes_answer_is_the_clusters_fault",
        "tests/kube/test_answers.py::test_s11_readyz_says_it",
    ),
    # S12 forwarded ports take any program and any Host
    "S12": (
        "tests/resources/forward/test_host_check.py::test_s12_a_name_that_leads_here_by_dns_rebinding_is_refused",
        f"{_VIEWS}/test_forward.py::test_a_console_for_others_opens_no_ports",
        f"{_VIEWS}/test_pod_proxy.py::test_s12_another_host_than_the_consoles_is_refused",
        "tests/attacks/test_requests.py::test_another_host_name_is_answered_nothing",
    ),
    # S13 a process that hangs
    "S13": (
        f"{_CONSOLE}/test_supervisor.py::test_s13_a_web_server_that_hangs_is_started_anew",
        f"{_CONSOLE}/test_supervisor.py::test_s13_every_part_is_asked_whether_it_lives",
    ),
    # S14 what is open outlives its permission
    "S14": (f"{_SIGN_IN}/test_lost_permission.py::test_s14_everything_open_ends_when_a_role_binding_goes",),
    # S15 addresses inside (SSRF)
    "S15": (
        f"{_HUB}/sources/test_addresses.py::test_s15_an_address_is_judged_by_all_that_it_may_lead_to",
        f"{_HUB}/sources/test_fetch.py::test_s15_the_dns_is_asked_once_and_its_answer_is_connected_to",
    ),
    # S16 the database's mode; scripts of forwarded pages
    "S16": (
        f"{_CONSOLE}/test_settings.py::test_s16_only_its_owner_reads_the_database",
        f"{_VIEWS}/test_pod_proxy.py::test_s16_our_own_pages_load_no_script_of_a_pod",
        f"{_VIEWS}/test_pod_proxy.py::test_nothing_of_ours_goes_there_and_nothing_of_theirs_stays_here",
    ),
    # S17 the server's folders
    "S17": (f"{_HUB}/test_own_catalogs.py::test_s17_who_cannot_change_the_catalogs_reads_no_folder_of_the_server",),
}
