# `make book` builds the book, `make test` runs every test; `make help` lists the rest.
# Everything made here is in .venv and _build, and the pages of modules in book/api/*/; `make clean` removes all but .venv.

PYTHON ?= python3
VENV := .venv
python := $(VENV)/bin/python

# Touched when done, so that the next run can see that nothing changed since.
LOCKED := $(VENV)/.locked
INSTALLED := $(VENV)/.installed
MACHINERY := _build/.machinery
PROSE := _build/.prose
BOOK := _build/html/.built

# What turns text into pages, without being seen by Sphinx: if it changed, every page is read again.
MACHINES := _config.yml _toc.yml references.bib $(LOCKED) pkdp/figures/__init__.py \
	$(wildcard book/_ext/*.py book/_ext/*/*.py book/_static/* book/_static/*/* book/_templates/*)
# All that the book is made from.
SOURCES := $(MACHINES) $(wildcard book/*.md book/*/*.md claims/*.json claims/*.txt claims/*.yml claims/*/*.yml proofs/*.v notebooks/*.ipynb notebooks/*/*.ipynb) \
	$(shell find pkdp -name __pycache__ -prune -o -type f -print)

# Neither the caller's modules nor pip's advice belong in this environment, and compiled modules are
# kept: dozens of processes read them.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One process a core is enough: threads of linear algebra that wait for each other take the cores from
# the processes beside them, and notebooks then take three times as long.
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help book zip serve wheel lab pdf proofs lint check test test-all oldest newest notebooks figures screenshots benchmark mutants \
	peers lock clean FORCE

help:
	@echo "make book         build the book: _build/html/index.html"
	@echo "make zip          the book as one file, to read offline: _build/pkdp-book.zip"
	@echo "make serve        serve the book to this machine, where its search shows excerpts"
	@echo "make wheel        build what pip installs: _build/wheel"
	@echo "make lab          open copies of the notebooks in JupyterLab: _build/lab"
	@echo "make pdf          print the short path and the errata: _build/short-path.pdf, _build/errata.pdf"
	@echo "make proofs       have Coq check the machine-checked proofs, if it is there"
	@echo "make lint         look the code over: ruff and mypy"
	@echo "make check        that, and the library's own tests that a change can break"
	@echo "make test         build the book and run the tests of all that a change can break"
	@echo "make test-all     the same with every test, the long ones too"
	@echo "make oldest       the library's own tests on the oldest versions it allows"
	@echo "make newest       the same on the newest versions there are"
	@echo "make notebooks    execute the pages of code that changed"
	@echo "make figures      compute and draw the figures that changed: _build/figures"
	@echo "make screenshots  photograph every page: _build/screenshots"
	@echo "make benchmark    time the library"
	@echo "make mutants      change MODULES here and there, and print what no test notices"
	@echo "make peers        ask other packages what the page on them tells"
	@echo "make lock         pin the newest versions, and the oldest in tests/oldest.txt"
	@echo "make clean        remove what the commands above made, except $(VENV)"
	@echo
	@echo "make book PYTHON=/path/to/python3.12 sets up $(VENV) with another Python."

# Why $(PYTHON) will not do, in one sentence; empty if it will.
python_problem = $(shell \
	if ! command -v "$(PYTHON)" >/dev/null 2>&1; then \
		echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or name one with PYTHON=/path/to/python3"; \
	elif ! "$(PYTHON)" -c '' 2>/dev/null; then \
		echo "'$(PYTHON)' does not run: install Python 3.11 or newer, or name one with PYTHON=/path/to/python3"; \
	elif ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		echo "'$(PYTHON)' is $$("$(PYTHON)" -V 2>&1), and Python 3.11 or newer is needed: install it, or name one with PYTHON=/path/to/python3"; \
	elif ! "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "'$(PYTHON)' lacks its venv module: install it (on Debian and Ubuntu the package is python3-venv), or name another Python with PYTHON=/path/to/python3"; \
	fi)

# An environment knows its folder by its full name, so a folder that was moved or copied needs
# another one; and so does another Python, if one is asked for.
OUTDATED := $(shell [ ! -e $(VENV)/.made-for ] \
	|| { [ "$$(sed -n 1p $(VENV)/.made-for)" = "$(CURDIR)" ] \
		&& { [ "$(origin PYTHON)" = file ] || [ "$$(sed -n 2p $(VENV)/.made-for)" = "$(PYTHON)" ]; }; } \
	|| echo yes)

uv := $(python) -m uv
pip_install := $(python) -m pip install -qq --no-compile --require-hashes -r

$(LOCKED): requirements.lock $(if $(OUTDATED),FORCE)
	$(if $(python_problem),$(error $(python_problem)))
	@echo "Setting up $(VENV)"
	@rm -rf $(VENV)
	@"$(PYTHON)" -m venv $(VENV)
	@# uv does in seconds what takes pip a minute. Where it is not to be had, or does not find what
	@# pip is set up to find, pip does it.
	@sed -n '/^uv==/,/# via/p' requirements.lock >$(VENV)/uv.lock
	@{ $(pip_install) $(VENV)/uv.lock \
		&& $(uv) pip install -qq --python $(python) --require-hashes -r requirements.lock; } 2>$(VENV)/uv.log \
		|| $(pip_install) requirements.lock
	@printf '%s\n' "$(CURDIR)" "$(PYTHON)" >$(VENV)/.made-for
	@touch $@

FORCE:

$(INSTALLED): pyproject.toml $(LOCKED)
	@$(python) -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

figures: $(INSTALLED)
	@$(python) -m pkdp figures --update --out _build/figures
	@# The picture in README.md; left alone if it is the same, lest the whole book be built again.
	@cmp -s _build/figures/figure-3.svg book/_static/figure-3.svg \
		|| cp _build/figures/figure-3.svg book/_static/

$(MACHINERY): $(MACHINES)
	@mkdir -p $(@D)
	@rm -rf _build/html _build/.doctrees
	@touch $@

$(PROSE): $(INSTALLED) $(wildcard book/*.md book/*/*.md)
	@mkdir -p $(@D)
	@$(python) notebooks/execute.py --prose
	@touch $@

# A page that gave a warning is not read again, so that the next build would let it pass:
# after a failure nothing is kept.
$(BOOK): $(INSTALLED) $(MACHINERY) $(PROSE) $(SOURCES)
	@$(VENV)/bin/jupyter-book build . -q -W -n --keep-going >_build/book.log 2>&1 \
		|| { cat _build/book.log; rm -rf _build/html _build/.doctrees; exit 1; }
	@touch $@

book: $(BOOK)
	@echo "The book: file://$(CURDIR)/_build/html/index.html"

zip: book
	@rm -f _build/pkdp-book.zip
	@$(python) -m zipfile -c _build/pkdp-book.zip _build/html/

# PORT is another port, if one is named.
serve: book
	@echo "The book: http://localhost:$(or $(PORT),8000)/"
	@$(python) -m http.server $(or $(PORT),8000) --bind localhost --directory _build/html

wheel: $(LOCKED)
	@$(uv) build --quiet --wheel --out-dir _build/wheel
	@echo "The wheel: $$(ls $(CURDIR)/_build/wheel/*.whl)"

# JupyterLab has a lock of its own and is installed on first use. Copies that exist are kept.
lab: book
	@$(uv) pip install -qq --python $(python) --require-hashes -r notebooks/lab.lock
	@[ -e _build/lab ] || cp -R _build/html/_sources/notebooks _build/lab
	@cd _build/lab && ../../$(python) -m jupyter lab

pdf: book
	@$(python) -m book.print

# Where there is no Coq, a sentence says so.
proofs: $(INSTALLED)
	@$(python) -m book._ext.coq.check

lint: $(INSTALLED)
	@$(python) -m ruff check --quiet .
	@$(python) -m ruff format --check --quiet .
	@$(python) -m mypy --no-error-summary

# One worker more than two cores have: some always wait for a kernel or a browser.
WORKERS := -n 3 --dist loadfile --no-loadscope-reorder

# What a change of the library breaks first: its modules' own tests, on fewer examples. From the second time on only
# those run that executed what changed (pytest's status 5 says that there are none).
check: lint
	@mkdir -p _build
	@TESTMON_DATAFILE=_build/testmondata HYPOTHESIS_PROFILE=quick $(python) -m pytest $(WORKERS) -q --testmon \
		--testmon-forceselect -m "not book and not browser and not figures and not page and not slow" pkdp tests \
		|| [ $$? -eq 5 ]

.PHONY: .tested
.tested: $(INSTALLED)
	@$(if $(ALL),FRESH_KERNELS=yes) $(python) -m pytest $(WORKERS) --junitxml=_build/junit.xml $(if $(ALL),,-m "not slow or again")

# While one core builds the book, the other lints. The last words are pytest's own: the check of the
# claims is silent unless it fails. It is content with slow tests that passed with the code as it is.
test: $(INSTALLED)
	@$(MAKE) --no-print-directory -j2 book lint
	@$(MAKE) --no-print-directory -j2 .tested proofs
	@$(python) -m book._ext.ledger.evidence check _build/junit.xml $(if $(ALL),--all)

test-all:
	@$(MAKE) --no-print-directory test ALL=yes

# What the library needs, beside which only a few tools stand: what the book is made with does not allow every
# version, be it old or new.
RUN_TIME := pyproject.toml --extra accounting --extra certified --extra data
TOOLS := beautifulsoup4 hypothesis pytest pytest-xdist pyyaml
space := $(subst ,, )
test_library = HYPOTHESIS_PROFILE=quick $(1)/bin/python -m pytest $(WORKERS) -q $(2) \
	-o addopts="--doctest-modules --strict-markers --import-mode=importlib -rs" \
	-m "not book and not browser and not figures and not page and not slow" pkdp tests/test_checks.py \
	$(addprefix tests/,profiles worlds partial_knowledge noiseless databases studies practice) \
	--ignore tests/studies/test_tables.py --ignore-glob "*practice/*audit.py" # which need nbval, and duckdb

# The library's own tests on the lower bounds of pyproject.toml, which `make lock` pins in tests/oldest.txt, under Python 3.11.
# What an old version deprecates in another one is gone in the newer ones, which `make test` has.
oldest: $(INSTALLED)
	@$(uv) venv --quiet --clear --python 3.11 _build/oldest
	@$(uv) pip install --quiet --python _build/oldest --no-build --require-hashes -r tests/oldest.txt
	@$(call test_library,_build/oldest,-W ignore::DeprecationWarning)

# The same on the newest versions there are; WITH=/path/to/python3.13 is another Python.
newest: $(INSTALLED)
	@$(uv) venv --quiet --clear --python $(or $(WITH),$(python)) _build/newest
	@$(uv) pip install --quiet --python _build/newest --upgrade -r $(RUN_TIME) $(TOOLS)
	@$(call test_library,_build/newest)

notebooks: $(INSTALLED)
	@$(python) notebooks/execute.py

screenshots: book
	@rm -rf _build/screenshots
	@$(python) tests/book/browser.py _build/html _build/screenshots

benchmark: $(INSTALLED)
	@$(python) -m tests.benchmarks $(if $(RECORD),--record)

# `make mutants MODULES=pkdp/…/MODULE.py` changes a module in one place at a time, and prints the changes that neither its
# examples nor the tests of its package that name it notice. It takes minutes, for a large module hours: ONLY='*7' tries a tenth,
# ONLY='x_log_sum__*' one function, TESTS="…" names other tests. A survivor gets a test, or a reason in tests/survivors.md. mutmut
# leaves out constants of modules and decorated functions, has a lock of its own, and is installed on first use.
mutants: $(INSTALLED)
	@$(uv) pip install -qq --python $(python) --require-hashes -r tests/mutants.lock
	@HYPOTHESIS_PROFILE=mutation ONLY='$(or $(ONLY),*)' TESTS='$(TESTS)' \
		$(python) tests/mutants.py $(MODULES)

# Other packages do not go together with what the book is pinned to.
peers: $(LOCKED)
	@rm -rf _build/peers
	@"$(PYTHON)" -m venv _build/peers
	@_build/peers/bin/python -m pip install -qq --require-hashes -r tests/peers/requirements.txt
	@_build/peers/bin/python -m tests.peers.ask

compile := $(uv) pip compile --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --quiet

lock: $(LOCKED)
	$(compile) --fork-strategy fewest --all-extras --output-file requirements.lock pyproject.toml
	echo jupyterlab | $(compile) --constraints requirements.lock --no-annotate --output-file notebooks/lab.lock -
	echo mutmut | $(compile) --constraints requirements.lock --no-annotate --output-file tests/mutants.lock -
	sed -nE 's/^(($(subst $(space),|,$(TOOLS)))==[^ ]+).*/\1/p' requirements.lock \
		| $(uv) pip compile --upgrade --resolution lowest-direct --python-version 3.11 --no-build \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--quiet --output-file tests/oldest.txt $(RUN_TIME) -

clean:
	rm -rf _build book/api/*/

# To release a version:
# 1. Choose it by the rule at the top of CHANGELOG.md. Five places must agree, and a test compares them: pyproject.toml;
#    pkdp/__init__.py; CITATION.cff, with the date; the newest heading of CHANGELOG.md, with the same date; and the BibTeX notes
#    of all pages.
# 2. Run `make book`, which carries the notes into the notebooks, and commit.
# 3. Run `make test-all` in a fresh clone: git clone . ../pkdp-fresh && make -C ../pkdp-fresh test-all
# 4. Tag that commit and push the tag: git tag -a v0.15.0 -m "0.15.0"
