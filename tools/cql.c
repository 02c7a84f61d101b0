/* widefsctl cql: the shell, and scripts of CQL. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/schema/schema.h"
#include "tools/connect.h"
#include "tools/cql/copy/copy.h"
#include "tools/cql/editor.h"
#include "tools/cql/interrupt.h"
#include "tools/cql/output.h"
#include "tools/cql/run.h"
#include "tools/cql/source.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

static int run(int argc, char **argv);
const struct command command_cql = {
	.name = "cql",
	.summary = "the shell of CQL, on a mount or an unmounted store",
	.usage = "usage: widefsctl cql [OPTIONS] [PATH]\n"
		 "Run statements of CQL on the store PATH, or on the mount that "
		 "PATH is in (default:\nthe working directory). On a terminal "
		 "it is a shell; HELP there tells more.\n\n"
		 "  -e, --execute=CQL  run these statements and end\n"
		 "  -f, --file=FILE    run those of FILE and end (-: standard "
		 "input)\n"
		 "  -k, --keyspace=K   begin with keyspace K in force\n"
		 "  -m, --mode=MODE    print results as table (default), csv, "
		 "json or line\n"
		 "  -b, --bail         end at the first error\n"
		 "  -r, --read-only    open a store to read alone\n"
		 "      --no-rc        do not run "
		 "~/.config/widefs/shellrc in a shell\n"
		 "  -h, --help         this text\n",
	.run = run,
};

enum { NO_RC = 256 };

struct settings {
	struct { char kind; const char *text; } *inputs;	/* e or f */
	size_t input_count;
	const char *keyspace, *path;
	enum shell_mode mode;
	bool bail, read_only, no_rc;
};

/* ----------------------------------------------------------------- inputs */
static void run_text(struct shell *shell, struct bytes text)
{
	struct cql_source source;

	cql_source_of_text(&source, text);
	shell_run_source(shell, &source);
	cql_source_release(&source);
}

static void run_stream(struct shell *shell, FILE *file, const char *name)
{
	struct cql_source source;

	cql_source_of_file(&source, file, name);
	shell_run_source(shell, &source);
	cql_source_release(&source);
}

static void run_file(struct shell *shell, const char *path)
{
	FILE *file;

	if (!strcmp(path, "-")) {
		run_stream(shell, stdin, "<stdin>");
		return;
	}
	file = fopen(path, "re");
	if (!file) {
		tool_complain(path, "%s", strerror(errno));
		shell->status = TOOL_FAILED;
		shell->quit = true;
		return;
	}
	run_stream(shell, file, path);
	fclose(file);
}

/* Run the file of settings, if there is one. */
static void run_rc(struct shell *shell)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT;
	FILE *file;

	if (config && config[0] == '/')
		buf_add_format(&path, "%s/widefs/shellrc", config);
	else if (home)
		buf_add_format(&path, "%s/.config/widefs/shellrc", home);
	file = path.len ? fopen(buf_cstr(&path), "re") : NULL;
	if (file) {
		run_stream(shell, file, buf_cstr(&path));
		fclose(file);
	}
	buf_release(&path);
}

static void run_person(struct shell *shell, const struct settings *settings)
{
	struct cql_source source;

	shell->editor = cql_editor_new(shell);
	if (!shell->editor) {
		tool_complain("cql", "%s", strerror(ENOMEM));
		shell->status = TOOL_FAILED;
		return;
	}
	cql_interrupt_catch();
	signal(SIGPIPE, SIG_IGN);
	if (!settings->no_rc)
		run_rc(shell);
	shell->bail = false;
	printf("Connected to %s.\n[widefsctl %s | CQL spec 3.4.7]\n"
	       "Use HELP for help.\n", shell->backend->place, TOOL_VERSION);
	cql_source_of_editor(&source, shell);
	shell_run_source(shell, &source);
	cql_source_release(&source);
	cql_editor_free(shell->editor);
	shell->status = TOOL_DONE;	/* a person has seen it */
}

static void run_inputs(struct shell *shell, const struct settings *settings)
{
	size_t i;

	for (i = 0; i < settings->input_count && !shell->quit; i++) {
		if (settings->inputs[i].kind == 'e')
			run_text(shell, bytes_str(settings->inputs[i].text));
		else
			run_file(shell, settings->inputs[i].text);
	}
	if (settings->input_count)
		return;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		run_person(shell, settings);
	else
		run_stream(shell, stdin, "<stdin>");
}

/* ------------------------------------------------------------------- where */
/* A path inside a keyspace puts that in force, as its .cql does. */
static void use_folder(struct cql_backend *b, const char *keyspace)
{
	struct buf use = BUF_INIT;

	buf_add_str(&use, "USE ");
	schema_print_name(&use, bytes_str(keyspace));
	buf_add_byte(&use, ';');
	b->ops->execute(b, buf_bytes(&use));
	b->ops->finish(b);
	buf_release(&use);
}

static int connect_to(struct cql_backend **out, const struct settings *settings)
{
	struct tool_place place;
	int status = place_find(&place, settings->path, PLACE_KEYSPACES);

	if (status)
		return status;
	status = connect_place(out, &place, settings->read_only);
	if (!status && place.keyspace && !settings->keyspace)
		use_folder(*out, place.keyspace);
	place_release(&place);
	return status;
}

static int use_keyspace(struct shell *shell, const char *keyspace)
{
	struct buf use = BUF_INIT;
	int err;

	buf_add_str(&use, "USE ");
	schema_print_name(&use, bytes_str(keyspace));
	buf_add_byte(&use, ';');
	err = shell_ask(shell, buf_cstr(&use));
	buf_release(&use);
	return err ? TOOL_NONE : TOOL_DONE;
}

static int run_shell(const struct settings *settings)
{
	struct shell shell = {
		.copy = &shell_copy, .out = stdout, .mode = settings->mode,
		.paging = true, .page_rows = 100, .consistency = "ONE",
		.serial_consistency = "SERIAL", .bail = settings->bail,
	};
	int status = connect_to(&shell.backend, settings), err;

	if (!status && settings->keyspace)
		status = use_keyspace(&shell, settings->keyspace);
	if (!status) {
		run_inputs(&shell, settings);
		status = shell.status;
	}
	if (shell.capture && fclose(shell.out)) {
		tool_complain(shell.capture, "%s", strerror(errno));
		status = TOOL_FAILED;
	}
	mem_free(shell.capture);
	while ((err = fflush(stdout)) && errno == EINTR)
		;
	if (err && !status) {
		tool_complain("standard output", "%s", strerror(errno));
		status = TOOL_FAILED;
	}
	return shell.backend ? connect_close(shell.backend, status) : status;
}

/* ----------------------------------------------------------------- options */
static bool set_mode(struct settings *settings, const char *name)
{
	int i;

	for (i = 0; i < SHELL_MODES; i++) {
		if (strcmp(shell_mode_names[i], name))
			continue;
		settings->mode = (enum shell_mode)i;
		return true;
	}
	tool_complain(name, "no such mode (table, csv, json or line)");
	return false;
}

/* TOOL_DONE; TOOL_USAGE after a message; -1: help was asked for. */
static int read_options(struct settings *settings, int argc, char **argv)
{
	static const struct option options[] = {
		{ "execute", required_argument, NULL, 'e' },
		{ "file", required_argument, NULL, 'f' },
		{ "keyspace", required_argument, NULL, 'k' },
		{ "mode", required_argument, NULL, 'm' },
		{ "bail", no_argument, NULL, 'b' },
		{ "read-only", no_argument, NULL, 'r' },
		{ "no-rc", no_argument, NULL, NO_RC },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "e:f:k:m:brh", options,
				     NULL)) >= 0) {
		switch (option) {
		case 'e':
		case 'f':
			settings->inputs[settings->input_count].kind =
				(char)option;
			settings->inputs[settings->input_count++].text = optarg;
			break;
		case 'k':
			settings->keyspace = optarg;
			break;
		case 'm':
			if (!set_mode(settings, optarg))
				return TOOL_USAGE;
			break;
		case 'b':
			settings->bail = true;
			break;
		case 'r':
			settings->read_only = true;
			break;
		case NO_RC:
			settings->no_rc = true;
			break;
		default:
			return option == 'h' ? -1 :
			       tool_usage(&command_cql, false);
		}
	}
	if (argc - optind > 1)
		return tool_misused(&command_cql, argv[optind + 1],
				    "one PATH is enough");
	settings->path = optind < argc ? argv[optind] : ".";
	return TOOL_DONE;
}

static int run(int argc, char **argv)
{
	struct settings settings;
	int status;

	memset(&settings, 0, sizeof(settings));
	settings.inputs = mem_zalloc((size_t)argc, sizeof(*settings.inputs));
	if (!settings.inputs) {
		tool_complain("cql", "%s", strerror(ENOMEM));
		return TOOL_FAILED;
	}
	status = read_options(&settings, argc, argv);
	if (status < 0)
		status = tool_usage(&command_cql, true);
	else if (!status)
		status = run_shell(&settings);
	mem_free(settings.inputs);
	return status;
}
